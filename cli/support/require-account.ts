import { Id, canonicalizeEmail } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import { Failure } from './command.ts';

/**
 * Finds an account by its ID, or by its email address in any capitalization.
 * @throws Failure when no account matches
 */
export async function requireAccount(db: Db, addressOrId: string): Promise<{ id: string; email: string }> {
  const id = Id.safeParse(addressOrId.toLowerCase());
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where((eb) => (id.success ? eb('id', '=', id.data) : eb('email', '=', canonicalizeEmail(addressOrId))))
    .executeTakeFirst();
  if (!account) {
    throw new Failure(
      `There is no account with the address or ID "${addressOrId}". Ask the owner which address they sign in with.`,
    );
  }
  return account;
}
