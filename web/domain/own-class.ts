import { isMember, useUser } from './root-data.ts';
import type { YearList } from './year-list.ts';

export function useIsOwnClass(): (department: string | undefined, year: number | undefined) => boolean {
  const user = useUser();
  return (department, year) =>
    isMember(user) && year !== undefined && user.yearGraduated === year && user.department === department;
}

/** Returns whether a year of a list is that of the user's class. A list without a department has that of the user. */
export function useIsOwnYear({ department }: Pick<YearList, 'department'>): (year: number) => boolean {
  const user = useUser();
  const isOwnClass = useIsOwnClass();
  return (year) => isOwnClass(department ?? user?.department ?? undefined, year);
}
