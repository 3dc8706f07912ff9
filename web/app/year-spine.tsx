import { type KeyboardEvent, useEffect, useRef } from 'react';
import { Link, useMatches } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { useYears } from '#web/domain/use-years.ts';
import type { YearList } from '#web/domain/year-list.ts';
import { yearsOf } from '#web/platform/page-handle.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { reword } from '#web/platform/words.ts';
import { YourClass } from './your-class.tsx';

export function YearSpine({ isCollapsed }: { isCollapsed: boolean }) {
  const list = yearsOf(useMatches()) as YearList | undefined;
  const user = useUser();
  return (
    <>
      {!isCollapsed && <YourClass />}
      {list && user === null && !isCollapsed && <SignUp />}
      {list && list.axis.counts.length > 1 && <Years list={list} isCollapsed={isCollapsed} />}
    </>
  );
}

/** Where members see their class. */
const SignUp = () => (
  <Link className="mx-3 mt-4 hidden border-t border-line pt-3 lg:block" to={paths.signUp}>
    Did you study here? <span className="link">Sign up</span>
  </Link>
);

const maxBarRem = 8.5;

const minBarRem = 0.625;

function Years({ list, isCollapsed }: { list: YearList; isCollapsed: boolean }) {
  const user = useUser();
  const ownDepartment = user?.department ?? undefined;
  const isHydrated = useHydrated();
  const box = useRef<HTMLElement>(null);
  const { years, focusedIndex } = useYears(list);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    // The list has a padding of half a row at both ends, and shows whole rows.
    const rowHeight = current.scrollHeight / (years.length + 1);
    current.scrollTop = (focusedIndex + 1 - Math.floor(current.clientHeight / rowHeight / 2)) * rowHeight;
  }, [focusedIndex, years.length]);
  const maxCount = Math.max(...years.map(({ count }) => count));
  // Below the user's class, a lower window has no room for three years.
  const show = isMember(user) && !isCollapsed ? 'lg:[@media(height>=48rem)]:flex' : 'lg:flex';
  return (
    <div className={`mt-4 hidden min-h-0 flex-1 flex-col print:hidden ${show}`}>
      {!isCollapsed && list.department !== ownDepartment && (
        <p className="mx-3 mb-1 truncate text-sm text-ink-soft">{list.department ?? reword('All departments')}</p>
      )}
      <div className="relative grow">
        <nav
          ref={box}
          aria-label="Years of graduation"
          className="absolute inset-x-0 top-0 h-[round(down,100%,1.5rem)] max-h-full overflow-y-auto py-3 [scrollbar-width:thin]"
        >
          <div className={`spine ${isCollapsed ? 'text-center *:block' : ''}`}>
            {years.map(({ year, count, isOwn, current }, index) => (
              <Link
                key={year}
                to={list.pathTo(year)}
                discover="none"
                preventScrollReset
                onKeyDown={moveFocus}
                aria-current={current}
                // One tab stop; the arrow keys move the focus. Without scripts, each year is a tab stop.
                tabIndex={isHydrated && index !== focusedIndex ? -1 : undefined}
                className={isOwn ? 'own' : undefined}
              >
                {`${year} `}
                {/* Phones do not show the bars. The HTML from the server has a size limit (e2e/bytes.spec.ts), so it
                    leaves them out. */}
                {!isCollapsed && isHydrated && (
                  <i style={{ width: `${Math.max(minBarRem, maxBarRem * Math.sqrt(count / maxCount))}rem` }} />
                )}
                <b className={isCollapsed ? 'sr-only' : undefined}>{count}</b>
              </Link>
            ))}
          </div>
        </nav>
      </div>
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLAnchorElement>): void {
  const links = [...(event.currentTarget.parentElement?.querySelectorAll('a') ?? [])];
  const index = links.indexOf(event.currentTarget);
  const next = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}
