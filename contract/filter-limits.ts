/* A separate module, so that the first page does not load the limits of all fields. */

/** Maximum length of a filter value, of a search text and of most fields of one line, in characters. */
export const maxLineLength = 160;

export const earliestYear = 1900;
