import type { Membership } from '#contract/membership.ts';
import type { Db } from '../../db/client.ts';

/** Returns where the vouching for a claimant stands. */
export async function findVouching(_db: Db, _claimantId: string): Promise<Membership['vouching']> {
  return { isAvailable: false, linkExpiresAt: null, asked: [], received: 0 };
}
