import { useLocation, useNavigation } from 'react-router';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { Outline } from './outlines.tsx';

/*
 * What a user sees while the next page or list loads (specification, sections 2 and 4). The class `late` shows it after
 * 150 ms, so that fast pages do not flicker.
 */

export function LoadingText() {
  const { state } = useNavigation();
  const isHydrated = useHydrated();
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 top-2/5 z-50 text-center print:hidden">
      {isHydrated && state !== 'idle' && (
        <span className="late inline-block rounded-full bg-raised px-4 py-2 floating">Loading...</span>
      )}
    </div>
  );
}

/** Covers the current page, which stays mounted, so that a failed navigation loses nothing. */
export function Skeleton() {
  const { location: next } = useNavigation();
  const { pathname } = useLocation();
  const isHydrated = useHydrated();
  if (!isHydrated || !next || next.pathname === pathname) return null;
  return (
    <div
      aria-hidden="true"
      className="late fixed inset-x-0 top-14 bottom-(--bar) z-20 overflow-hidden bg-surface lg:top-16 lg:left-(--sidebar)"
    >
      <div className="page">
        <Outline path={next.pathname} />
      </div>
    </div>
  );
}
