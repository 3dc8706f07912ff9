/**
 * The day from which the terms and the privacy policy count as they stand, `YYYY-MM-DD`. Whoever changes what they mean
 * changes it: from then on a sign-up agrees to the new ones, and members are asked in their settings.
 */
export const termsVersion = '2026-11-22';
