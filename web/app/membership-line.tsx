import { useLocation } from 'react-router';
import type { OwnStatus } from '#contract/membership.ts';
import { paths } from '../domain/paths.ts';
import { Link } from '../platform/link.tsx';

/** Shows the membership status of an unconfirmed user in one line, with a link to the page that explains it. */
export function MembershipLine({ membership }: { membership: OwnStatus | null | undefined }) {
  const { pathname } = useLocation();
  if (!membership || membership.status === 'confirmed' || pathname === paths.confirm) return null;
  const { isWaiting, confirmBy } = membership;
  return (
    <p className="border-b border-line bg-wash px-4 py-2 lg:px-8 print:hidden">
      {isWaiting
        ? 'Your request is with the alumni office. '
        : confirmBy
          ? `You are a member until ${new Date(confirmBy).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })}. `
          : 'You see what guests see. '}
      <Link to={paths.confirm} className="link inline-block">
        {isWaiting ? 'See what happens next' : 'Confirm that you studied here'}
      </Link>
    </p>
  );
}
