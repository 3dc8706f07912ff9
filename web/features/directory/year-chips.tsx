import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useIsOwnYear } from '#web/domain/own-class.ts';
import { useYearInView } from '#web/domain/use-year-in-view.ts';
import { isChosenYear, listYears, type YearList } from '#web/domain/year-list.ts';

export function YearChips({ list }: { list: YearList }) {
  const box = useRef<HTMLDivElement>(null);
  const isOwn = useIsOwnYear(list);
  const yearInView = useYearInView();
  const years = listYears(list.axis).map(({ value }) => value);
  const focused = yearInView ?? years.find((year) => isChosenYear(list, year)) ?? years.find(isOwn);
  useEffect(() => {
    const { current } = box;
    const link = current?.querySelector<HTMLElement>('[data-focused]');
    if (current && link) current.scrollLeft = link.offsetLeft + (link.offsetWidth - current.clientWidth) / 2;
  }, [focused]);
  return (
    <nav
      aria-label="Class years"
      className="year-chips sticky bottom-(--bar) z-10 -mx-4 border-t border-line bg-surface lg:hidden print:hidden"
    >
      <div ref={box}>
        {years.map((year) => (
          <Link
            key={year}
            to={list.pathTo(year)}
            aria-current={isChosenYear(list, year) || (year === yearInView ? 'location' : undefined)}
            discover="none"
            className={isOwn(year) ? 'own' : undefined}
            data-focused={year === focused || undefined}
          >
            {year}
          </Link>
        ))}
      </div>
    </nav>
  );
}
