/**
 * Number of members of the class who must vouch for a claimant. Here, because `membership.ts` would bring its schemas
 * into the page.
 */
export const requiredVouches = 2;
