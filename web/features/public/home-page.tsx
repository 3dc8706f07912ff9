import { Form, Link, useLoaderData } from 'react-router';
import { formatCount, formatPeople } from '#contract/counts.ts';
import type { Welcome } from '#contract/directory.ts';
import { NobodyYet } from '#web/domain/nobody-yet.tsx';
import { paths } from '#web/domain/paths.ts';
import { Portrait } from '#web/domain/portrait.tsx';
import { isMember, useRootData } from '#web/domain/root-data.ts';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Mark } from '#web/ui/logo.tsx';

const quietLink = 'border border-on-deep-line bg-deep text-white hover:bg-deep-strong! focus-visible:outline-white';
const whiteLink = 'bg-white px-6 text-deep! hover:bg-on-deep! focus-visible:outline-white';
const footLink = 'inline-flex min-h-11 items-center underline underline-offset-4 focus-visible:outline-white';
const plainLink = 'text-white underline underline-offset-4 hover:bg-deep-strong! focus-visible:outline-white';

/** The blue home page (D2 in docs/conformance.md). */
export function HomePage() {
  const welcome = useLoaderData<Welcome | null>();
  const { institution, user } = useRootData();
  const hasPeople = welcome !== null && welcome.members > 0;
  const ownYear = isMember(user) ? user.yearGraduated : null;
  const year = ownYear ?? welcome?.years.at(-1)?.value;
  return (
    <main className="flex min-h-dvh flex-col bg-surface">
      <div className="flex flex-col bg-deep text-white lg:min-h-[calc(100dvh-7rem)]">
        <header className="page flex w-full items-center justify-between gap-3 pb-0 lg:pb-0">
          <p className="flex items-center gap-3 leading-tight font-bold">
            <Mark className="size-9 rounded-lg border border-on-deep-line" />
            <span>
              {institution.abbreviation}{' '}
              <span className="max-sm:block max-sm:text-xs max-sm:font-medium">alumni archive</span>
            </span>
          </p>
          {user ? (
            <ButtonLink variant="bare" to={paths.dashboard} className={quietLink}>
              Go to the dashboard
            </ButtonLink>
          ) : (
            <ButtonLink variant="bare" to={paths.login} className={quietLink}>
              Sign in
            </ButtonLink>
          )}
        </header>
        <div className="page grid w-full grow content-center gap-x-16 gap-y-8 py-8 lg:grid-cols-2 lg:py-8 2xl:grid-cols-[1fr_auto]">
          <div className="grid content-center gap-4">
            {year !== undefined && (
              <Link
                to={yearPath(year)}
                className="year w-fit border-b-4 border-[#f1c96b] pb-2 focus-visible:outline-white lg:pb-4"
              >
                <span className="block text-lg lg:text-2xl">Class of</span>{' '}
                <span className="text-[6rem] leading-none md:text-[10rem] lg:text-[12.5rem] lg:leading-[0.85]">
                  {year}
                </span>
              </Link>
            )}
            <h1 className="text-[2.25rem] leading-tight font-bold lg:mt-2 lg:text-[3rem]">Find your class.</h1>
            <p className="max-w-xl text-on-deep lg:text-lg">
              The archive of students and graduates of {institution.name}. Find the people you studied with, and decide
              what others can see about you.
            </p>
            {welcome?.members !== 0 && <FindClassmates />}
            {!user && (
              <p className="flex flex-wrap gap-2 lg:mt-2">
                <ButtonLink variant="bare" to={paths.signUp} className={whiteLink}>
                  Sign up
                </ButtonLink>
                <ButtonLink variant="bare" to={paths.dashboard} className={plainLink}>
                  Browse as a guest
                </ButtonLink>
              </p>
            )}
          </div>
          <Wall faces={welcome?.faces ?? []} />
        </div>
        {welcome?.members === 0 && (
          <div className="pb-8 bleed [&_a]:text-white!">
            <NobodyYet />
          </div>
        )}
        {hasPeople && <YearRail years={welcome.years} ownYear={ownYear} heroYear={year} />}
      </div>
      <div className="grid grow content-center bg-deep-strong text-white">
        <div className="page flex flex-wrap items-center justify-between gap-x-12 gap-y-4 py-4 lg:py-4">
          {hasPeople && <Figures welcome={welcome} />}
          <p className="flex flex-wrap gap-x-6 text-sm sm:ml-auto">
            <Link className={footLink} to={paths.privacy}>
              Privacy policy
            </Link>
            <Link className={footLink} to={paths.terms}>
              Terms and conditions
            </Link>
          </p>
        </div>
      </div>
    </main>
  );
}

function FindClassmates() {
  return (
    <Form role="search" action={paths.search} className="grid max-w-xl gap-1">
      <label htmlFor="classmates" className="font-semibold">
        Find your classmates
      </label>
      <div className="relative">
        <input
          id="classmates"
          type="search"
          name="q"
          autoComplete="off"
          placeholder="Name or year"
          className="control min-h-14 border-transparent bg-white! pr-28 text-[#1b2233] placeholder:text-[#565d70] focus:outline-white lg:text-lg"
        />
        <Button
          type="submit"
          variant="bare"
          className="absolute inset-y-1.5 right-1.5 bg-deep text-white hover:bg-deep-bright!"
        >
          Search
        </Button>
      </div>
    </Form>
  );
}

const wallFaces = 15;

function Wall({ faces }: { faces: Welcome['faces'] }) {
  return (
    <section
      aria-label="Newest members"
      className="grid grid-cols-5 content-center gap-1.5 lg:w-full lg:max-w-2xl lg:gap-2.5 2xl:w-[48rem] 2xl:max-w-none lg:justify-self-end"
    >
      <ul className="contents">
        {faces.map((face) => (
          <li key={face.id}>
            <Link
              to={paths.user(face.id)}
              title={face.name}
              className="block print-shape hover:opacity-85 focus-visible:outline-white"
            >
              <Portrait card={face} isFirst className="text-lg lg:text-3xl" />
              <span className="sr-only">{face.name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {Array.from({ length: wallFaces - faces.length }, (_, index) => {
        const isInvitation = faces.length === 0 && index === 0;
        return (
          <span
            key={index}
            className={`grid aspect-[4/5] place-items-center border border-on-deep-line text-lg font-bold print-shape ${isInvitation ? '' : 'opacity-30'}`}
          >
            {isInvitation && 'You?'}
          </span>
        );
      })}
    </section>
  );
}

const yearPath = (year: number) =>
  `${paths.dashboard}?${new URLSearchParams({ department: 'all', year: String(year) })}`;

interface YearRailProps {
  years: Welcome['years'];
  ownYear: number | null;
  heroYear: number | undefined;
}

function YearRail({ years, ownYear, heroYear }: YearRailProps) {
  return (
    <nav
      aria-label="Class years"
      className="overflow-x-auto mask-[linear-gradient(to_left,#0000,#000_3rem)] py-4 bleed 2xl:mr-[calc(50%-48rem)] 2xl:pr-8 [scrollbar-width:thin]"
    >
      <ul className="flex gap-2">
        {years.toReversed().map(({ value: year, count }) => (
          <li key={year} className="shrink-0">
            <Link
              to={yearPath(year)}
              className={`grid min-h-11 min-w-20 content-center justify-items-center rounded-control border px-3 py-1.5 focus-visible:outline-white ${year === ownYear ? 'border-gold bg-gold text-gold-ink' : `hover:bg-deep-strong ${year === heroYear ? 'border-white' : 'border-on-deep-line'}`}`}
            >
              <span className="year text-lg">{year}</span>{' '}
              <span className={`text-xs nums ${year === ownYear ? '' : 'text-on-deep'}`}>{formatPeople(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Figures({ welcome: { members, departments, years } }: { welcome: Welcome }) {
  const figures: [value: string, label: string][] = [
    [formatCount(members), members === 1 ? 'member' : 'members'],
    [String(departments), reword(departments === 1 ? 'department' : 'departments')],
    [String(years.length), years.length === 1 ? 'graduating class' : 'graduating classes'],
  ];
  return (
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {figures.map(([value, label]) => (
        <div key={label} className="flex flex-row-reverse items-baseline gap-2">
          <dt className="text-sm text-on-deep">{label}</dt>
          <dd className="text-2xl font-bold nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
