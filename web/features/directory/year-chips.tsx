import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useYears } from '#web/domain/use-years.ts';
import type { YearList } from '#web/domain/year-list.ts';

export function YearChips({ list }: { list: YearList }) {
  const box = useRef<HTMLDivElement>(null);
  const { years, focusedIndex } = useYears(list);
  useEffect(() => {
    const { current } = box;
    const link = current?.querySelector<HTMLElement>('[data-focused]');
    if (current && link) current.scrollLeft = link.offsetLeft + (link.offsetWidth - current.clientWidth) / 2;
  }, [focusedIndex]);
  return (
    <nav
      aria-label="Class years"
      className="year-chips sticky bottom-(--bar) z-10 -mx-4 border-t border-line bg-surface lg:hidden print:hidden"
    >
      <div ref={box}>
        {years.map(({ year, isOwn, current }, index) => (
          <Link
            key={year}
            to={list.pathTo(year)}
            aria-current={current}
            discover="none"
            className={isOwn ? 'own' : undefined}
            data-focused={index === focusedIndex || undefined}
          >
            {year}
          </Link>
        ))}
      </div>
    </nav>
  );
}
