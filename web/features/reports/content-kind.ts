import type { ContentKind } from '#contract/report-values.ts';

export const toContentKind = (segment: string | undefined): ContentKind | null =>
  segment === 'user' ? 'profile' : segment === 'photo' ? 'photo' : null;
