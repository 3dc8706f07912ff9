import { isMember, useUser } from './root-data.ts';

export function useIsOwnClass(): (department: string | undefined, year: number | undefined) => boolean {
  const user = useUser();
  return (department, year) =>
    isMember(user) && year !== undefined && user.yearGraduated === year && user.department === department;
}
