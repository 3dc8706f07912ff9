import { useLoaderData } from 'react-router';
import { Link } from '../../platform/link.tsx';
import type { Card } from '#contract/directory.ts';
import { PersonAvatar } from '../../domain/person-avatar.tsx';
import { paths } from '../../domain/paths.ts';
import { useRootData } from '../../domain/root-data.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CampusScene } from '../../ui/campus-scene.tsx';
import { Mark } from '../../ui/logo.tsx';
import type { Welcome } from './welcome.ts';

/** Shows the blue welcome page (D2 in docs/conformance.md): a description, the number of members, and links to sign up and sign in. */
export function HomePage() {
  const welcome = useLoaderData<Welcome | null>();
  const { institution, user } = useRootData();
  return (
    <div className="min-h-dvh bg-deep text-white lg:grid lg:grid-cols-2">
      <main className="flex flex-col gap-10 px-5 py-6 sm:px-8 lg:px-16 lg:py-10">
        <p className="flex items-center gap-3 font-bold">
          <Mark className="size-9 rounded-lg border border-on-deep-line" />
          {institution.abbreviation} alumni archive
        </p>
        <div className="my-auto grid max-w-xl gap-6">
          <h1 className="text-3xl leading-tight font-bold">The people you studied with are still here.</h1>
          <p className="text-lg text-on-deep">
            The archive of students and graduates of {institution.name}. Find people from your department and your year,
            and decide what others can see about you.
          </p>
          <div className="flex flex-wrap gap-3">
            {user !== null ? (
              <ButtonLink look="quiet" to={paths.dashboard}>
                Go to the dashboard
              </ButtonLink>
            ) : (
              <>
                <ButtonLink look="quiet" to={paths.signUp} className="border-white">
                  Sign up
                </ButtonLink>
                <ButtonLink
                  look="bare"
                  to={paths.login}
                  className="border border-on-deep-line text-white hover:bg-deep-strong"
                >
                  Sign in
                </ButtonLink>
                <ButtonLink
                  look="bare"
                  to={paths.dashboard}
                  className="text-white underline underline-offset-4 hover:bg-deep-strong"
                >
                  Browse as a guest
                </ButtonLink>
              </>
            )}
          </div>
          {welcome && welcome.members > 0 && <Figures welcome={welcome} />}
        </div>
        {welcome && welcome.newest.length > 0 && <NewestMembers people={welcome.newest} />}
        <p className="flex flex-wrap gap-x-6 gap-y-1 text-sm text-on-deep">
          <Link className="inline-flex min-h-11 items-center underline underline-offset-4" to={paths.privacy}>
            Privacy policy
          </Link>
          <Link className="inline-flex min-h-11 items-center underline underline-offset-4" to={paths.terms}>
            Terms and conditions
          </Link>
        </p>
      </main>
      <div className="hidden lg:block" aria-hidden="true">
        <CampusScene className="sticky top-0 h-dvh w-full" />
      </div>
    </div>
  );
}

function Figures({ welcome: { members, departments, years } }: { welcome: Welcome }) {
  const figures: [value: string, label: string][] = [
    [members.toLocaleString('en'), members === 1 ? 'member' : 'members'],
    [String(departments), departments === 1 ? 'department' : 'departments'],
    [String(years.length), years.length === 1 ? 'graduating class' : 'graduating classes'],
  ];
  return (
    <dl className="grid max-w-md grid-cols-3 gap-4 border-t border-on-deep-line pt-6">
      {figures.map(([value, label]) => (
        <div key={label} className="flex flex-col-reverse justify-end">
          <dt className="text-sm text-on-deep">{label}</dt>
          <dd className="text-2xl font-bold nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function NewestMembers({ people }: { people: readonly Card[] }) {
  return (
    <section aria-labelledby="newest">
      <h2 id="newest" className="mb-3 text-sm font-semibold text-on-deep">
        Newest members
      </h2>
      <ul className="flex flex-wrap gap-3">
        {people.map(({ id, name, thumb }) => (
          <li key={id}>
            <Link
              to={paths.user(id)}
              className="block rounded-full outline-offset-4 focus-visible:outline-white"
              title={name}
            >
              <PersonAvatar
                name={name}
                src={thumb?.replace('/192.', '/96.') ?? null}
                className="size-12 text-sm border-2 border-on-deep-line"
              />
              <span className="sr-only">{name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
