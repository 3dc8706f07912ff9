import { isMember, useUser } from './root-data.ts';

/** Returns a function that returns whether a department and year of graduation are those of the viewer: their class is marked in gold. */
export function useIsOwnClass(): (department: string | undefined, year: number | undefined) => boolean {
  const user = useUser();
  return (department, year) =>
    isMember(user) && year !== undefined && user.yearGraduated === year && user.department === department;
}
