/**
 * Version of the terms and the privacy policy: the date since which they apply, `YYYY-MM-DD`. Change the date when the
 * meaning of the texts changes. New users then accept the new version, and the settings request members to accept it.
 */
export const termsVersion = '2026-11-22';
