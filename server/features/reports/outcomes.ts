import type { PhotoModeration } from '#contract/gallery.ts';
import type { ReportKind } from '#contract/report-values.ts';
import type { ReportOutcome } from '#contract/staff/values.ts';

export interface ReportItem {
  readonly id: string;
  readonly kind: ReportKind;
  readonly subjectId: string | null;
  readonly photoId: string | null;
  readonly moderation: PhotoModeration | null;
  readonly isProfileHidden: boolean;
}

/** Outcomes of a report that only says that a person has died, for staff without the right `reports`. */
export const deathOutcomes = ['nothing', 'hide'] as const satisfies readonly ReportOutcome[];

export function outcomesFor({ kind, subjectId, photoId, moderation, isProfileHidden }: ReportItem): ReportOutcome[] {
  const canHide =
    kind === 'profile'
      ? subjectId !== null && !isProfileHidden
      : photoId !== null && (moderation === null || moderation === 'reported');
  return [
    'nothing',
    ...(canHide ? (['hide'] as const) : []),
    ...(photoId !== null && moderation !== 'taken-down' ? (['take-down'] as const) : []),
    ...(subjectId === null ? [] : (['suspend'] as const)),
  ];
}
