/** Seconds between two verification mails (specification, section 9). */
export const resendCooldownSeconds = 179;
export const verifiedRedirectDelayMs = 5000;
/** Seconds for which the token for another site is valid (D22 in docs/conformance.md). */
export const tokenTtlSeconds = 300;
/** Seconds for the second step of a sign-in, and for the response of a passkey. */
export const secondFactorTtlSeconds = 300;
/** Seconds after a password entry in which sensitive actions need no new one (design, identity rule 5). */
export const recentSignInSeconds = 300;
