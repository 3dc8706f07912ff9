import { Link } from 'react-router';
import type { Card } from '#contract/directory.ts';
import type { Membership } from '#contract/membership.ts';
import { Face } from '#web/domain/faces.tsx';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Drawing } from '#web/ui/drawing.tsx';

interface Props {
  membership: Membership;
  classmates: readonly Card[];
}

export function Confirmed({ membership: { confirmedAt }, classmates }: Props) {
  const { user } = useRootData();
  const { department, yearGraduated: year } = user ?? {};
  return (
    <div className="page grid justify-items-start gap-5">
      <h1 className="text-xl font-bold lg:text-2xl">You are a confirmed member</h1>
      {department && year ? (
        <section aria-label={`Class of ${year}`} className="grid w-full gap-5">
          <div>
            <p className="year text-[7.5rem] leading-[0.9] text-brand">
              <span className="text-[2.5rem] max-lg:block lg:text-[7.5rem]">Class of</span>{' '}
              <span className="underline decoration-gold-strong decoration-8 underline-offset-[0.1em] max-lg:block">
                {year}
              </span>
            </p>
            <p className="pt-6 text-lg font-bold">{department}</p>
          </div>
          {classmates.length > 0 ? (
            <ul aria-label="People of your class" className="grid w-full grid-cols-4 gap-x-3 gap-y-4 sm:grid-cols-8">
              {classmates.map((card) => (
                <li key={card.id} className="min-w-0">
                  <Face card={card} />
                </li>
              ))}
            </ul>
          ) : (
            <p className="text-ink-soft">
              You are the first. The people of your class will appear here when they join.
            </p>
          )}
        </section>
      ) : (
        <Drawing name="gown" />
      )}
      <p>
        {confirmedAt !== null && (
          <>
            Confirmed on <Day of={confirmedAt} />.{' '}
          </>
        )}
        You now see what members see, and your class sees you.
      </p>
      <p className="flex flex-wrap gap-3">
        {department && year && <ButtonLink to={paths.classOf(department, year)}>See your class</ButtonLink>}
        <ButtonLink variant="quiet" to={paths.dashboard}>
          Go to the dashboard
        </ButtonLink>
      </p>
      <p className="max-w-[60ch] text-ink-soft">
        Choose who sees what in the{' '}
        <Link className="link" to={withParam(paths.settings, 'section', 'privacy')}>
          privacy settings
        </Link>
        . See how you were confirmed in the{' '}
        <Link className="link" to={withParam(paths.settings, 'section', 'membership')}>
          membership settings
        </Link>
        .
      </p>
    </div>
  );
}
