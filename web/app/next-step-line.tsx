import { Link, useLocation } from 'react-router';
import type { User } from '#contract/identity.ts';
import { type MembershipSummary, summarizeMembership } from '#web/domain/membership-summary.ts';
import { paths } from '#web/domain/paths.ts';
import { nextStep, type RootData } from '#web/domain/root-data.ts';

export function NextStepLine({ user }: { user: RootData['user'] }) {
  const { pathname } = useLocation();
  const isDashboard = pathname === paths.dashboard;
  const step = user && describeStep(user, isDashboard);
  // The page for codes is one of the ways to confirm.
  if (!step || pathname === step.to || (step.to === paths.confirm && pathname.startsWith('/join'))) return null;
  return (
    <p className="flex flex-wrap items-center gap-2 border-b border-line bg-wash py-1.5 bleed print:hidden">
      <span className="grow basis-24 text-balance">{`${step.text} `}</span>
      <Link
        to={step.to}
        className="button flex min-h-11 items-center rounded-control bg-brand px-3 font-semibold text-on-fill"
      >
        {step.linkText}
        {step.linkEnd && <span className="whitespace-pre max-sm:sr-only">{step.linkEnd}</span>}
      </Link>
    </p>
  );
}

/** Members who are confirmed, or need not be, have no next step. The registration continues from the dashboard. */
function describeStep(user: User, isDashboard: boolean): (MembershipSummary & { to: string }) | null {
  const next = isDashboard ? nextStep(user) : null;
  if (next)
    return {
      to: next,
      text: 'You see what guests see.',
      linkText: next === paths.onboarding ? 'Complete your profile' : 'Verify your email',
    };
  const { membership } = user;
  if (!membership || membership.status === 'confirmed') return null;
  return { to: paths.confirm, ...summarizeMembership(membership) };
}
