import { Form, Link, useLoaderData } from 'react-router';
import { NobodyYet } from '#web/domain/nobody-yet.tsx';
import { paths } from '#web/domain/paths.ts';
import { initials, tintOf } from '#web/domain/people.ts';
import { isMember, useRootData } from '#web/domain/root-data.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { CampusScene } from '#web/ui/campus-scene.tsx';
import { Mark } from '#web/ui/logo.tsx';
import { Skyline } from './skyline.tsx';
import type { Welcome } from './welcome.ts';

/** The same in both themes. */
const strongLink = 'bg-white text-deep hover:bg-on-deep! focus-visible:outline-white';
const quietLink = 'border border-on-deep-line bg-deep text-white hover:bg-deep-strong! focus-visible:outline-white';
const plainLink =
  'text-white underline underline-offset-4 hover:bg-deep-strong! focus-visible:outline-white max-sm:px-0';

/** The blue home page (D2 in docs/conformance.md). */
export function HomePage() {
  const welcome = useLoaderData<Welcome | null>();
  const { institution, user } = useRootData();
  return (
    <main className="flex min-h-dvh flex-col bg-surface">
      <div className="relative flex flex-col overflow-hidden bg-deep pb-[calc(61vw+3rem)] text-white sm:pb-[calc(41vw+3rem)] lg:min-h-[min(46vw,82vh)] lg:pb-36">
        <CampusScene className="absolute right-0 bottom-10 h-[66vw] w-[150%] max-w-none sm:h-[44vw] sm:w-full lg:bottom-0 lg:h-full" />
        <div className="relative page w-full max-w-none pb-0">
          <p className="flex items-center gap-3 font-bold">
            <Mark className="size-9 rounded-lg border border-on-deep-line" />
            {institution.abbreviation} alumni archive
          </p>
          <div className="mt-6 grid max-w-xl gap-5 lg:mt-14">
            <h1 className="text-3xl leading-tight font-bold lg:text-[2.75rem]">
              The people you studied with are still here.
            </h1>
            <p className="text-on-deep lg:text-lg">
              The archive of students and graduates of {institution.name}. Find people from your department and your
              year, and decide what others can see about you.
            </p>
            {welcome?.members !== 0 && <FindClassmates />}
            <div className="flex flex-wrap gap-2 lg:gap-3">
              {user !== null ? (
                <ButtonLink look="bare" to={paths.dashboard} className={quietLink}>
                  Go to the dashboard
                </ButtonLink>
              ) : (
                <>
                  <ButtonLink look="bare" to={paths.signUp} className={strongLink}>
                    Sign up
                  </ButtonLink>
                  <ButtonLink look="bare" to={paths.login} className={quietLink}>
                    Sign in
                  </ButtonLink>
                  <ButtonLink look="bare" to={paths.dashboard} className={plainLink}>
                    Browse as a guest
                  </ButtonLink>
                </>
              )}
            </div>
          </div>
        </div>
        {welcome && welcome.years.length > 0 && (
          <Skyline years={welcome.years} ownYear={isMember(user) ? user.yearGraduated : null} />
        )}
      </div>
      <div className="page flex w-full grow flex-col gap-6 pb-4">
        {welcome?.members === 0 && <NobodyYet />}
        {welcome && welcome.members > 0 && <Figures welcome={welcome} />}
        {welcome && welcome.newest.length > 0 && <NewestMembers people={welcome.newest} />}
        <p className="mt-auto flex flex-wrap gap-x-6 border-t border-line pt-2 text-sm">
          <Link className="link inline-flex min-h-11 items-center" to={paths.privacy}>
            Privacy policy
          </Link>
          <Link className="link inline-flex min-h-11 items-center" to={paths.terms}>
            Terms and conditions
          </Link>
        </p>
      </div>
    </main>
  );
}

/** Works without JavaScript. */
function FindClassmates() {
  return (
    <Form role="search" action={paths.search} className="grid max-w-lg gap-1">
      <label htmlFor="classmates" className="font-semibold">
        Find your classmates
      </label>
      <div className="flex gap-2">
        <input
          id="classmates"
          type="search"
          name="q"
          autoComplete="off"
          placeholder="Name, department or year"
          className="control min-h-12 border-transparent text-ink focus:outline-white"
        />
        <Button type="submit" className="border border-on-deep-line px-5 focus-visible:outline-white">
          Search
        </Button>
      </div>
    </Form>
  );
}

function Figures({ welcome: { members, departments, years } }: { welcome: Welcome }) {
  const figures: [value: string, label: string][] = [
    [members.toLocaleString('en'), members === 1 ? 'member' : 'members'],
    [String(departments), departments === 1 ? 'department' : 'departments'],
    [String(years.length), years.length === 1 ? 'graduating class' : 'graduating classes'],
  ];
  return (
    <dl className="grid max-w-2xl grid-cols-3 gap-4">
      {figures.map(([value, label]) => (
        <div key={label} className="flex flex-col-reverse justify-end">
          <dt className="text-sm text-ink-soft">{label}</dt>
          <dd className="text-2xl font-bold nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function NewestMembers({ people }: { people: Welcome['newest'] }) {
  return (
    <section aria-labelledby="newest">
      <h2 id="newest" className="mb-3 text-lg font-bold">
        Newest members
      </h2>
      <ul className="grid grid-cols-6 gap-1 lg:grid-cols-12 lg:gap-2">
        {people.map(({ id, name, thumb }) => (
          <li key={id}>
            <Link to={paths.user(id)} title={name} className="after-scripts block aspect-[4/5] rounded-t-xl">
              {thumb === null ? (
                <span
                  aria-hidden="true"
                  className={`tint tint-${tintOf(name)} grid size-full place-items-center text-lg font-bold print-shape`}
                >
                  {initials(name)}
                </span>
              ) : (
                <img
                  src={thumb}
                  srcSet={`${thumb.replace('/192.', '/96.')} 96w, ${thumb} 192w`}
                  sizes="(width >= 64rem) 8vw, 16vw"
                  alt=""
                  loading="lazy"
                  decoding="async"
                  className="size-full bg-line object-cover print-shape hover:opacity-85"
                />
              )}
              <span className="sr-only">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
