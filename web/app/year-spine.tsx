import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useMatches } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { useIsOwnYear } from '#web/domain/own-class.ts';
import { paths } from '#web/domain/paths.ts';
import { Portrait } from '#web/domain/portrait.tsx';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { isChosenYear, listYears, type OwnClass, type YearList } from '#web/domain/year-list.ts';
import { yearsOf } from '#web/platform/page-handle.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';

export function YearSpine({ isCollapsed }: { isCollapsed: boolean }) {
  const list = yearsOf(useMatches()) as YearList | undefined;
  const user = useUser();
  // Stays on pages that do not load it.
  const [ownClass, setOwnClass] = useState(list?.ownClass);
  if (list?.ownClass && list.ownClass !== ownClass) setOwnClass(list.ownClass);
  return (
    <>
      {!isCollapsed && <YourClass ownClass={ownClass} />}
      {list && user === null && !isCollapsed && <SignUp />}
      {list && list.axis.counts.length > 1 && <Years list={list} isCollapsed={isCollapsed} />}
    </>
  );
}

/** Where members see their class. */
const SignUp = () => (
  <Link className="mx-3 mt-4 hidden border-t border-line-strong pt-3 lg:block" to={paths.signUp}>
    Did you study here? <span className="link">Sign up</span>
  </Link>
);

function YourClass({ ownClass }: { ownClass: OwnClass | undefined }) {
  const user = useUser();
  if (!isMember(user) || !user.department || !user.yearGraduated) return null;
  return (
    <Link
      to={paths.classOf(user.department, user.yearGraduated)}
      className="group mx-3 mt-4 hidden border-t-3 border-gold-strong pt-3 lg:block"
    >
      <span className="flex items-baseline justify-between text-sm text-ink-soft">
        <span className="group-hover:underline">Your class</span>{' '}
        {ownClass && <span className="nums">{formatPeople(ownClass.count)}</span>}
      </span>{' '}
      <span className="year block text-[2.5rem]">{user.yearGraduated}</span>
      {ownClass ? (
        <span className="mt-3 flex gap-2">
          {ownClass.cards.map((card) => (
            <span key={card.id} className="w-9">
              <Portrait card={card} isSmall className="text-xs" />
            </span>
          ))}
        </span>
      ) : (
        <span className="link mt-2 block">See your class</span>
      )}
    </Link>
  );
}

const maxWidth = 100;

const minWidth = 6;

function Years({ list, isCollapsed }: { list: YearList; isCollapsed: boolean }) {
  const user = useUser();
  const isHydrated = useHydrated();
  const box = useRef<HTMLElement>(null);
  const years = listYears(list.axis);
  const ownYear = isMember(user) ? user.yearGraduated : null;
  const isOwn = useIsOwnYear(list);
  const yearInView = useYearInView();
  const isChosen = (year: number) => isChosenYear(list, year) || year === yearInView;
  const focused = (
    years.find(({ value }) => value === yearInView) ??
    years.find(({ value }) => isChosen(value)) ??
    years.find(({ value }) => isOwn(value)) ??
    years[0]
  )?.value;
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>('[data-focused]');
    // From the top of the list, which has a padding of half a row.
    if (box.current && row) box.current.scrollTop = row.offsetTop + row.offsetHeight - box.current.clientHeight / 2;
  }, [focused, ownYear]);
  return (
    <div className="relative mt-4 hidden min-h-0 flex-1 lg:block print:hidden">
      <nav
        ref={box}
        aria-label="Years of graduation"
        className="absolute inset-0 overflow-y-auto py-3 [scrollbar-width:thin]"
      >
        <div className={`spine relative ${isCollapsed ? 'text-center' : ''}`}>
          {years.map(({ value: year, count }) => (
            <Link
              key={year}
              to={list.pathTo(year)}
              discover="none"
              preventScrollReset
              onKeyDown={moveFocus}
              aria-current={isChosenYear(list, year) || (year === yearInView ? 'location' : undefined)}
              data-focused={year === focused || undefined}
              // One tab stop; the arrow keys move the focus. Without scripts, each year is a tab stop.
              tabIndex={isHydrated && year !== focused ? -1 : undefined}
              className={isOwn(year) ? 'own' : undefined}
            >
              {`${year} `}
              <b className={isCollapsed ? 'sr-only' : undefined}>{count}</b>
            </Link>
          ))}
          {/* Phones do not show the bars. The HTML from the server has a size limit (e2e/bytes.spec.ts), so it leaves them
              out. */}
          {!isCollapsed && isHydrated && <Bars years={years} isChosen={isChosen} isOwn={isOwn} />}
        </div>
      </nav>
    </div>
  );
}

interface BarsProps {
  years: ReturnType<typeof listYears>;
  isChosen: (year: number) => boolean;
  isOwn: (year: number) => boolean;
}

function Bars({ years, isChosen, isOwn }: BarsProps) {
  const maxCount = Math.max(...years.map(({ count }) => count));
  const draw = (isIn: (year: number) => boolean) =>
    years
      .map(({ value, count }, row) => {
        const width = Math.max(minWidth, Math.round(maxWidth * Math.sqrt(count / maxCount)));
        return isIn(value) ? `M0 ${row}.5h${width}` : '';
      })
      .join('');
  const bars = [
    { color: 'stroke-brand-bright', path: draw((year) => !isChosen(year) && !isOwn(year)) },
    { color: 'stroke-gold-ink', path: draw(isOwn) },
    { color: 'stroke-on-fill', path: draw((year) => isChosen(year) && !isOwn(year)) },
  ];
  return (
    <svg
      viewBox={`0 0 ${maxWidth} ${years.length}`}
      preserveAspectRatio="none"
      strokeWidth=".4"
      aria-hidden="true"
      className="pointer-events-none absolute inset-y-0 left-17 h-full w-37"
    >
      {bars.map(({ color, path }) => path && <path key={color} d={path} className={color} />)}
    </svg>
  );
}

/** Returns the class at the top of the wall, while its people are in the order of their classes. */
function useYearInView(): number | undefined {
  const [year, setYear] = useState<number>();
  const { key } = useLocation();
  useEffect(() => {
    const update = () => {
      // Asking one point needs no layout of the card pages far from the viewport.
      const hit = document.elementFromPoint(innerWidth / 2, 96)?.closest('.wall section');
      const first = document.querySelector('.wall section');
      const section = hit ?? (first && first.getBoundingClientRect().top > 0 ? first : null);
      if (section || !first) setYear(Number(section?.querySelector('h2')?.textContent) || undefined);
    };
    update();
    addEventListener('scroll', update, { passive: true });
    return () => removeEventListener('scroll', update);
  }, [key]);
  return year;
}

function moveFocus(event: KeyboardEvent<HTMLAnchorElement>): void {
  const links = [...(event.currentTarget.parentElement?.querySelectorAll('a') ?? [])];
  const index = links.indexOf(event.currentTarget);
  const next = { ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}
