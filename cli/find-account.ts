import { Id, canonicalEmail } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import { Failure } from './command.ts';

/**
 * The account with this address, in whatever spelling, or with this id.
 * @throws Failure when there is none
 */
export async function requireAccount(db: Db, named: string): Promise<{ id: string; email: string }> {
  const id = Id.safeParse(named.toLowerCase());
  const account = await db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where((eb) => (id.success ? eb('id', '=', id.data) : eb('email', '=', canonicalEmail(named))))
    .executeTakeFirst();
  if (!account) {
    throw new Failure(
      `There is no account with the address or id "${named}". Ask its owner with which address they sign in.`,
    );
  }
  return account;
}
