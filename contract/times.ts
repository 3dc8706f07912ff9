/** Seconds; specification, section 9. */
export const resendCooldownSeconds = 179;
/** Milliseconds from the congratulations to the onboarding; specification, section 9. */
export const verifiedRedirectDelayMs = 5000;
/** Seconds for which a token says who is signed in; an older one is not handed on (decision 22). */
export const tokenTtlSeconds = 300;
/** Seconds in which a sign-in has to be completed with its second factor, and a passkey to answer. */
export const secondFactorTtlSeconds = 300;
/** Seconds for which a typed password vouches for sensitive acts (design, identity rule 5). */
export const recentSignInSeconds = 300;
