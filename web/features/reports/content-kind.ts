import type { ContentKind } from '#contract/report-values.ts';

/** Reads the path of a report: `/report/user/ID` or `/report/photo/ID`. */
export const toContentKind = (segment: string | undefined): ContentKind | null =>
  segment === 'user' ? 'profile' : segment === 'photo' ? 'photo' : null;
