/** Seconds; specification, section 9. */
export const resendCooldown = 179;
/** Milliseconds from the congratulations to the onboarding; specification, section 9. */
export const verifiedRedirectDelay = 5000;
/** Seconds for which a typed password vouches for sensitive acts (design, identity rule 5). */
export const recentSignIn = 300;
