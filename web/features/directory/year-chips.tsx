import { Link } from 'react-router';
import { useIsOwnClass } from '#web/domain/own-class.ts';
import { isChosenYear, listYears, type YearList } from '#web/domain/year-list.ts';

/** The years for screens without the sidebar: a row that scrolls. */
export function YearChips({ list }: { list: YearList }) {
  const isOwnClass = useIsOwnClass();
  const isOwn = (year: number) => isOwnClass(list.department, year);
  const hasChosen = (list.from ?? list.to) !== undefined;
  const isShownFirst = (year: number) => (hasChosen ? isChosenYear(list, year) : isOwn(year));
  return (
    <nav aria-label="Class years" className="year-chips -mx-4 flex gap-2 overflow-x-auto px-4 py-1 print:hidden">
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
