import { useLocation, useNavigation } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';

/*
 * What a user sees while the next page or list loads (specification, sections 2 and 4). The class `late` shows it after
 * 150 ms, so that fast pages do not flicker.
 */

/** Only after hydration: the server renders pages that have loaded. */
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

const shape = 'rounded-control bg-wash';

/** Covers the current page, which stays mounted, so that a failed navigation loses nothing. */
export function Skeleton() {
  const { location: next } = useNavigation();
  const { pathname } = useLocation();
  const isHydrated = useHydrated();
  const user = useUser();
  if (!isHydrated || !next || next.pathname === pathname) return null;
  return (
    <div
      aria-hidden="true"
      className="late fixed inset-x-0 top-14 bottom-(--bar) z-20 overflow-hidden bg-surface lg:top-16 lg:left-(--sidebar)"
    >
      <div className="page">
        {next.pathname === paths.dashboard ? (
          <>
            {/* Title with counts, controls, and the heading of a class. */}
            <div className={`h-19 sm:h-14 xl:h-16 ${shape}`} />
            <div className={`my-2 h-11 lg:my-3 ${shape}`} />
            {isMember(user) && <div className={`mb-2 h-14.5 ${shape}`} />}
            <div className="cards">
              {Array.from({ length: 24 }, (_, index) => (
                <div key={index} className="mb-5">
                  <div className="aspect-[4/5] bg-wash print-shape" />
                  <div className={`mt-2 ${isMember(user) ? 'h-28' : 'h-22'} ${shape}`} />
                </div>
              ))}
            </div>
          </>
        ) : (
          <>
            <div className={`mb-4 h-11 w-60 ${shape}`} />
            {Array.from({ length: 13 }, (_, index) => (
              <div key={index} className={`mb-4 h-14 ${shape}`} />
            ))}
          </>
        )}
      </div>
    </div>
  );
}
