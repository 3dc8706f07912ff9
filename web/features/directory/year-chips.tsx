import { Link } from 'react-router';
import { useIsOwnYear } from '#web/domain/own-class.ts';
import { isChosenYear, listYears, type YearList } from '#web/domain/year-list.ts';

export function YearChips({ list }: { list: YearList }) {
  const isOwn = useIsOwnYear(list);
  const hasChosen = (list.from ?? list.to) !== undefined;
  const isShownFirst = (year: number) => (hasChosen ? isChosenYear(list, year) : isOwn(year));
  return (
    <nav
      aria-label="Class years"
      className="year-chips sticky bottom-(--bar) z-10 -mx-4 flex gap-1 overflow-x-auto border-t border-line bg-surface px-3 py-1 lg:hidden print:hidden"
    >
      {listYears(list.axis).map(({ value: year }) => (
        <Link
          key={year}
          to={list.pathTo(year)}
          aria-current={isChosenYear(list, year) || undefined}
          discover="none"
          className={isOwn(year) ? 'own' : undefined}
          data-focused={isShownFirst(year) || undefined}
        >
          {year}
        </Link>
      ))}
    </nav>
  );
}
