import { paths } from '#web/domain/paths.ts';

/** Returns the path of a page of the staff console. @param page its key in `staff-pages.ts` */
export const staffPath = (page: string, id?: string): string =>
  [paths.staff, page, ...(id === undefined ? [] : [encodeURIComponent(id)])].join('/');
