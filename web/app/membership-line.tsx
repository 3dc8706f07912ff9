import { Link, useLocation } from 'react-router';
import type { OwnStatus } from '#contract/membership.ts';
import { summarizeMembership } from '#web/domain/membership-summary.ts';
import { paths } from '#web/domain/paths.ts';

export function MembershipLine({ membership }: { membership: OwnStatus | null | undefined }) {
  const { pathname } = useLocation();
  if (!membership || membership.status === 'confirmed' || pathname === paths.confirm) return null;
  const { text, linkText } = summarizeMembership(membership);
  return (
    <p className="border-b border-line bg-wash px-4 py-2 lg:px-8 print:hidden">
      {`${text} `}
      <Link to={paths.confirm} className="link inline-block">
        {linkText}
      </Link>
    </p>
  );
}
