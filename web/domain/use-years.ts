import { useEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { useIsOwnYear } from './own-class.ts';
import { isChosenYear, listYears, type YearList } from './year-list.ts';

export interface ListedYear {
  readonly year: number;
  readonly count: number;
  readonly isOwn: boolean;
  /** For `aria-current`: `location` for the class at the top of the wall. */
  readonly current: true | 'location' | undefined;
}

/**
 * Returns the years of a list, and the index of the year to focus and scroll to: the one in view, else the first chosen year, else
 * that of the user, else the first.
 */
export function useYears(list: YearList): { years: readonly ListedYear[]; focusedIndex: number } {
  const isOwnYear = useIsOwnYear(list);
  const yearInView = useYearInView();
  const years = listYears(list.axis).map(({ value: year, count }): ListedYear => {
    const current = isChosenYear(list, year) ? true : year === yearInView ? 'location' : undefined;
    return { year, count, isOwn: isOwnYear(year), current };
  });
  const indexes = [
    years.findIndex(({ year }) => year === yearInView),
    years.findIndex(({ current }) => current === true),
    years.findIndex(({ isOwn }) => isOwn),
  ];
  return { years, focusedIndex: indexes.find((index) => index !== -1) ?? 0 };
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
