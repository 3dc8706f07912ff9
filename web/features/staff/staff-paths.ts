import { paths } from '#web/domain/paths.ts';

/** @param page its key in `staff-pages.ts` */
export const staffPath = (page: string, id?: string): string =>
  [paths.staff, page, ...(id === undefined ? [] : [encodeURIComponent(id)])].join('/');
