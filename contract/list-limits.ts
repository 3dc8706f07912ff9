/*
 * The numbers that lists of people need: a module of its own, so that the first page does not carry all the others.
 */

export const listLimits = {
  lineMax: 160,
  /** The earliest year that anything here can be of. */
  yearMin: 1900,
  pageSize: 24,
  pageSizeMax: 96,
} as const;

/** Whether a text has the form of an id of ours, a UUID. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(text);
