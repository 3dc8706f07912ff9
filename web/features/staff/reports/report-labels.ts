import type { PhotoModeration } from '#contract/gallery.ts';
import type { ContentReason, ReportKind, ReportReason } from '#contract/report-values.ts';
import type { ReportOutcome } from '#contract/staff/values.ts';

export const reasonLabels: Readonly<Record<string, string>> = {
  phishing: 'asks for a password, a code or money',
  harassment: 'insults or threatens',
  impersonation: 'pretends to be someone else',
  advertising: 'advertising',
  'in-picture': 'the reporter is in it and wants it removed',
  'not-this-person': 'pretends to be another person',
  offensive: 'offensive',
  deceased: 'has died',
  other: 'something else',
} satisfies Record<ReportReason | ContentReason, string>;

export const kindLabels: Record<ReportKind, string> = { message: 'Message', profile: 'Profile', photo: 'Photo' };

export const outcomeLabels: Record<ReportOutcome, string> = {
  nothing: 'Dismissed',
  hide: 'Hidden',
  'take-down': 'Taken down',
  suspend: 'Suspended',
};

export const moderationLabels: Record<PhotoModeration, string> = {
  reported: 'Hidden by the report',
  hidden: 'Hidden',
  'taken-down': 'Taken down',
};
