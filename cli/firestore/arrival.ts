import { hasReachedAge } from '#contract/age.ts';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { Id } from '#contract/fields.ts';
import type { ProfileForm } from '#contract/profile.ts';
import type { Db } from '#server/db/client.ts';
import { isRefusedValue } from '#server/db/errors.ts';
import { isAddressTaken } from '#server/domain/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { wantNoticeMail } from '#server/domain/hidden-until-sign-in.ts';
import { dateBack, findPerson, savePerson, toColumns } from '#server/domain/people.ts';
import { removeUnused } from '#server/domain/pictures.ts';
import { dropUnfinished, putUnfinished } from '#server/domain/unfinished-profiles.ts';
import type { DeletionJournal } from '#server/platform/deletion-journal.ts';
import { UnreadablePicture } from '#server/platform/media.ts';

/** Somebody who comes over from another system. */
export interface Arrival {
  readonly id: string;
  /** Canonical. */
  readonly email: string;
  readonly isVerified: boolean;
  /** As `accounts.password_hash` has it; null opens with a link for a new password alone. */
  readonly passwordHash: string | null;
  /** When they joined there; null where nobody knows. */
  readonly createdAt: Date | null;
  readonly isDisabled: boolean;
  /** When others see them: at once, after they sign in, or after they turn "Hide me" off. */
  readonly shown: 'now' | 'at sign-in' | 'by choice';
  /** Whether a mail tells them that they were imported. */
  readonly isNotified: boolean;
  /** A whole profile, the fields of one that breaks a rule, or none. */
  readonly profile: { readonly form: ProfileForm } | { readonly fields: Readonly<Record<string, string>> } | null;
  readonly picture: Buffer | null;
}

/**
 * The result for a person: created; given a profile because they had none; unchanged; or left out, because
 * they deleted their account here.
 */
export type Outcome = 'added' | 'completed' | 'known' | 'deleted';

/** What cannot be brought over as it is, in a sentence. */
export class NotImported extends Error {
  override readonly name = 'NotImported';
}

/** Any fixed id: those that are made from it are the same in every archive, and nobody else's. */
const namespace = '2f1c9d0e-6c1b-5d3a-9a57-7f0f5a3b8d11';

/** An id of ours for one of another system, always the same one (UUID version 8, RFC 9562). One that is a UUID stays. */
export function idFor(foreign: string): string {
  const own = Id.safeParse(foreign.toLowerCase());
  if (own.success) return own.data;
  const bytes = createHash('sha256')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(foreign)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

/** Returns what an import would do with a person. @param deletions those to respect; null to leave no one out @throws NotImported */
export async function planPerson(
  db: Db,
  { id, email, profile, createdAt }: Arrival,
  deletions: DeletionJournal | null,
): Promise<Outcome> {
  const known = await db
    .selectFrom('accounts as a')
    .leftJoin('profiles as p', 'p.account_id', 'a.id')
    .leftJoin('unfinished_profiles as u', 'u.account_id', 'a.id')
    .select(['p.account_id as profile', 'u.account_id as unfinished'])
    .where('a.id', '=', id)
    .executeTakeFirst();
  if (known) {
    const isBetter = known.profile === null && profile !== null && (known.unfinished === null || 'form' in profile);
    return isBetter ? 'completed' : 'known';
  }
  if (await isAddressTaken(db, email, id))
    throw new NotImported('its address belongs to another account here already; one of the two has to go first');
  const deletion = deletions?.find({ accountId: id, email });
  if (deletion && (createdAt === null || createdAt <= deletion.at)) return 'deleted';
  return 'added';
}

/**
 * Puts one person into the archive, in one transaction. Whoever is here already stays as they are: what they have changed
 * here is newer. No terms are accepted for them.
 * @returns what has become of them, and whether the picture could be read
 * @throws NotImported
 */
export async function importPerson(
  context: Context,
  arrival: Arrival,
  deletions: DeletionJournal | null,
): Promise<{ readonly outcome: Outcome; readonly isPictureRead: boolean }> {
  const { db, media } = context;
  const planned = await planPerson(db, arrival, deletions);
  if (planned === 'known' || planned === 'deleted') {
    if (arrival.isNotified) await db.transaction().execute((tx) => requestNotice(tx, arrival.id, planned));
    return { outcome: planned, isPictureRead: true };
  }
  const picture =
    arrival.picture === null || arrival.profile === null
      ? null
      : await media.store(arrival.picture).catch((error: unknown) => {
          if (error instanceof UnreadablePicture) return null;
          throw error;
        });
  try {
    const outcome = await db.transaction().execute(async (tx) => {
      const decided = await planPerson(tx, arrival, deletions);
      if (decided === 'added') await addAccount(tx, arrival);
      if (decided === 'completed' && arrival.shown !== 'now') await hideIfSignedOut(tx, arrival.id);
      if (decided === 'added' || decided === 'completed') await addProfile(tx, context, arrival, picture);
      if (arrival.isNotified) await requestNotice(tx, arrival.id, decided);
      return decided;
    });
    return { outcome, isPictureRead: arrival.picture === null || arrival.profile === null || picture !== null };
  } catch (error) {
    await removeUnused(context, picture === null ? [] : [picture]);
    if (!isRefusedValue(error)) throw error;
    throw new NotImported(`the database does not take it: ${error.message}`, { cause: error });
  }
}

async function addAccount(tx: Db, arrival: Arrival): Promise<void> {
  const { id, email, isVerified, passwordHash, createdAt, isDisabled, shown } = arrival;
  await tx
    .insertInto('accounts')
    .values({
      id,
      email,
      email_verified: isVerified,
      password_hash: passwordHash ?? '!',
      ...(createdAt && { created_at: createdAt }),
      ...(isDisabled && { disabled_at: sql<Date>`now()` }),
      ...(shown !== 'now' && { hidden_until_sign_in: 'imported' as const }),
    })
    .execute();
}

/** Hides the profile that is about to be created, unless its owner is signed in and sees it. */
async function hideIfSignedOut(tx: Db, id: string): Promise<void> {
  await sql`
    update accounts set hidden_until_sign_in = 'imported'
    where id = ${id} and hidden_until_sign_in is null
      and not exists (select from sessions where account_id = ${id} and expires_at > now())`.execute(tx);
}

/** Queues the mail to a person who is new here, or who has not signed in since an earlier run. */
async function requestNotice(tx: Db, id: string, outcome: Outcome): Promise<void> {
  const account = await tx
    .selectFrom('accounts')
    .select('hidden_until_sign_in')
    .where('id', '=', id)
    .where('is_active', '=', true)
    .executeTakeFirst();
  if (account && (outcome === 'added' || account.hidden_until_sign_in === 'imported'))
    await wantNoticeMail(tx, id, 'imported');
}

async function addProfile(
  tx: Db,
  { institution }: Context,
  { id, profile, shown, createdAt }: Arrival,
  picture: string | null,
): Promise<void> {
  if (profile === null) return;
  if (!('form' in profile)) {
    await putUnfinished(tx, id, { fields: profile.fields, picture });
    return;
  }
  await dropUnfinished(tx, id);
  const account = await tx
    .selectFrom('accounts')
    .select(['email', 'is_active', 'hidden_until_sign_in'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const before = await findPerson(tx, id);
  await savePerson(
    tx,
    {
      ...toColumns(profile.form),
      id,
      email: account.email,
      picture,
      visibility: {},
      isHidden: shown === 'by choice',
      isIndexed: false,
      isDisabled: !account.is_active,
      awaitsSignIn: account.hidden_until_sign_in !== null,
      isMinor: !hasReachedAge(profile.form.dob, institution.adultAge, new Date()),
    },
    before,
  );
  if (createdAt && !before) await dateBack(tx, id, createdAt);
}
