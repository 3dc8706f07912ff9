/* A separate module, so that pages do not load the schemas of the endpoints. */

export const reportReasons = ['phishing', 'harassment', 'impersonation', 'advertising', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

export const reportKinds = ['message', 'profile', 'photo'] as const;
export type ReportKind = (typeof reportKinds)[number];

export const contentReasons = {
  profile: ['not-this-person', 'offensive', 'deceased', 'other'],
  photo: ['in-picture', 'offensive', 'other'],
} as const;
export type ContentKind = keyof typeof contentReasons;

export const contentKinds = ['profile', 'photo'] as const satisfies readonly ContentKind[];
export type ContentReason = (typeof contentReasons)[ContentKind][number];

/** How often a member can hide a photo at once in 30 days. Further photos stay visible until staff decide. */
export const maxHiddenPhotos = 5;

export const confirmReportHours = 24;

/**
 * What happens next: staff get the report; the photo is hidden already; or the guest must open the link in a mail
 * first.
 */
export const reportResults = ['sent', 'hidden', 'check-mail'] as const;
export type ReportResult = (typeof reportResults)[number];
