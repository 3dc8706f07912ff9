import { sql } from 'kysely';
import { hasReachedAge } from '#contract/age.ts';
import { type CareerColumns, emptyCareer, toCareerColumns } from '#server/domain/careers/career.ts';
import { addImported } from '#server/domain/careers/incoming-career.ts';
import { saveTracerAnswer } from '#server/domain/careers/tracer.ts';
import type { Db } from '#server/db/client.ts';
import { isRefusedValue } from '#server/db/errors.ts';
import type { HiddenReason } from '#server/db/schema.ts';
import { type DeletionJournal, appendEntries, createEntry } from '../accounts/deletion-journal.ts';
import { checkPicture } from '#server/platform/media/encode-picture.ts';
import { type StoredPhoto as PhotoFiles } from '#server/platform/media/media.ts';
import { isAddressTaken } from '../accounts/accounts.ts';
import { lockAccount } from '../accounts/sessions.ts';
import type { Context } from '../context.ts';
import { requestNoticeMail } from '../accounts/hidden-until-sign-in.ts';
import {
  type Blocks,
  type IncomingAccount,
  type IncomingCareer,
  type IncomingPerson,
  type IncomingPhoto,
  type IncomingProfile,
  NotImportable,
  type ReadProfile,
  readEmail,
  readPhoto,
  readPicture,
  readProfile,
} from './incoming-person.ts';
import { findBoundPerson, hasSameIdentityValues, holdBackChange } from '../membership/identity-changes.ts';
import { awaitsConfirmationSql } from '../membership/membership-status.ts';
import { backdateListings, findPersons, savePerson } from './people.ts';
import { insertPhoto } from './photos.ts';
import { removeUnusedPictures } from './pictures.ts';
import { deleteIncompleteProfile, saveIncompleteProfile } from './incomplete-profiles.ts';
import { type Person, findPictureAudience } from './visibility.ts';
import { forgetVouches, isOtherClaimant } from '../membership/vouch-rules.ts';

export interface ImportRules {
  /**
   * How an existing account is identified. With `id`, an address of another account is an error. Default: `address`.
   */
  readonly knownBy?: 'address' | 'id';
  /**
   * Action for a person who already has an account. `keep` changes nothing. `complete` adds a missing profile. `update`
   * overwrites profile, picture and privacy choices, and adds photos. Sign-in data never changes. Default: `keep`.
   */
  readonly existing?: 'keep' | 'complete' | 'update';
  /**
   * Whether to import an invalid profile as incomplete and leave out an unreadable portrait, each with a warning. By
   * default such a person is not imported.
   */
  readonly isLenient?: boolean;
  readonly journal?: DeletionJournal;
  /** Whether to import people who deleted their account here, too, and cancel their deletion in the journal. */
  readonly includeDeleted?: boolean;
  /** Whether to send a mail to each imported person, and to those who have not signed in since an earlier import. */
  readonly isNotifying?: boolean;
  readonly isDryRun?: boolean;
}

/** Outcome of an import. `deleted` means that the person deleted their account here and was left out. */
export type ImportOutcome = 'created' | 'updated' | 'unchanged' | 'deleted';

interface ImportResult {
  readonly outcome: ImportOutcome;
  readonly warnings: readonly string[];
}

/**
 * Imports one person with account, profile, picture, photos and blocks in one transaction, by the rules of a save. Does
 * not accept the terms on the person's behalf. An unchanged person gets no blocks, because the person may have removed
 * the blocks here.
 * @throws NotImportable
 */
export async function importPerson(
  context: Context,
  person: IncomingPerson,
  rules: ImportRules = {},
): Promise<ImportResult> {
  const { db, media } = context;
  const account = { ...person.account, email: readEmail(person.account.email) };
  const profile = person.profile && readProfile(context.institution, person.profile, rules.isLenient ?? false);
  const photos = (person.photos ?? []).map(readPhoto);
  const warnings = [...(person.warnings ?? []), ...(profile?.warnings ?? [])];
  const plan = (tx: Db) => planImport(tx, { account, profile, suggestedCareer: person.suggestedCareer }, rules);
  const { outcome, id: knownId } = await plan(db);
  if (outcome === 'unchanged' || outcome === 'deleted') {
    if (knownId !== null && !rules.isDryRun) await requestNoticeMailTo(db, knownId, outcome, rules);
    return { outcome, warnings: [] };
  }
  const readPortrait = async <Result>(read: (image: Buffer) => Promise<Result>): Promise<Result | null> =>
    profile?.picture ? readPicture(profile.picture, read, rules.isLenient ? warnings : null) : null;
  if (rules.isDryRun) {
    await readPortrait(checkPicture);
    for (const { image } of photos) await readPicture(image, checkPicture);
    return { outcome, warnings };
  }
  // Names of the pictures to remove at the end if no row uses them.
  const pictures: (string | null)[] = [];
  try {
    const picture = await readPortrait((image) => media.storePortrait(image));
    pictures.push(picture);
    const storedPhotos: StoredPhoto[] = [];
    for (const { image, ...photo } of photos) {
      const file = await readPicture(image, () => media.storePhoto(image, photo.audience === 'everyone'));
      if (file) storedPhotos.push({ ...photo, ...file });
      pictures.push(file?.name ?? null);
    }
    const done = await db.transaction().execute(async (tx) => {
      // Plan again, because another process may have changed the account since.
      const planned = await plan(tx);
      if (planned.outcome === 'unchanged' || planned.outcome === 'deleted') return planned.outcome;
      const id = planned.id ?? (await addAccount(tx, account, planned.isIdFree));
      if (planned.addsCareer) {
        await lockAccount(tx, id);
        const change = person.suggestedCareer && (await findCareerChange(tx, id, person.suggestedCareer));
        if (!change) return 'unchanged';
        await savePerson(tx, change.after, change.before);
        return planned.outcome;
      }
      if (planned.outcome === 'updated' && rules.existing === 'complete' && account.hiddenUntilSignIn)
        await hideIfSignedOut(tx, id, account.hiddenUntilSignIn);
      if (profile && (await addProfile(tx, context, id, { ...profile, picture }, pictures)))
        warnings.push('Name, class or matric number waits for the alumni office: the person is confirmed with others.');
      for (const photo of storedPhotos) await addPhoto(tx, id, photo);
      if (person.blocks) await addBlocks(tx, id, person.blocks);
      await requestNoticeMailTo(tx, id, planned.outcome, rules);
      return planned.outcome;
    });
    if (done === 'created') await journalCancelledDeletion(context, account, rules);
    return { outcome: done, warnings };
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    throw new NotImportable(`The database refused a value: ${error.message}.`, { cause: error });
  } finally {
    await removeUnusedPictures(
      context,
      pictures.filter((name) => name !== null),
    );
  }
}

interface Plan {
  readonly outcome: ImportOutcome;
  readonly id: string | null;
  readonly isIdFree: boolean;
  /** Whether only the suggested career is added. */
  readonly addsCareer?: boolean;
}

/** Returns null if there is nothing to add. A person who has saved the career form gets nothing from an import. */
async function findCareerChange(db: Db, id: string, suggested: CareerColumns) {
  const [found] = await findPersons<{ savedAt: Date | null }>(db, [id], 'p.career_saved_at as "savedAt"');
  const career = found?.savedAt === null && addImported(toCareerColumns(found), suggested);
  return found && career ? { before: found, after: { ...found, ...career } } : null;
}

async function planImport(
  db: Db,
  {
    account: { id, email, createdAt },
    profile,
    suggestedCareer,
  }: { account: IncomingAccount; profile: ReadProfile | null; suggestedCareer: CareerColumns | undefined },
  { knownBy = 'address', existing = 'keep', journal, includeDeleted }: ImportRules,
): Promise<Plan> {
  const accounts = await db
    .selectFrom('accounts as a')
    .leftJoin('profiles as p', 'p.account_id', 'a.id')
    .leftJoin('unfinished_profiles as u', 'u.account_id', 'a.id')
    .select(['a.id', 'a.email', 'p.account_id as profile', 'u.account_id as unfinished'])
    .where((is) => is.or([is('a.email', '=', email), ...(id === undefined ? [] : [is('a.id', '=', id)])]))
    .execute();
  const isIdFree = accounts.every((account) => account.id !== id);
  const known = accounts.find((account) => (knownBy === 'id' ? account.id === id : account.email === email));
  if (known?.profile && suggestedCareer) {
    const change = await findCareerChange(db, known.id, suggestedCareer);
    return { outcome: change ? 'updated' : 'unchanged', id: known.id, isIdFree, addsCareer: true };
  }
  if (known) {
    const isCompleted =
      known.profile === null && profile !== null && (known.unfinished === null || profile.columns !== null);
    const isChanged = existing === 'update' || (existing === 'complete' && isCompleted);
    return { outcome: isChanged ? 'updated' : 'unchanged', id: known.id, isIdFree };
  }
  // An account that was created after the deletion is a new account of the same person.
  const deletion = includeDeleted ? null : journal?.find({ accountId: id, email });
  if (deletion && (createdAt === undefined || createdAt <= deletion.at))
    return { outcome: 'deleted', id: null, isIdFree };
  if (accounts.some((account) => account.email === email))
    throw new NotImportable('The address belongs to another account here. Delete one of the two accounts first.');
  if (await isAddressTaken(db, email, null))
    throw new NotImportable(
      'An account here had this address before, and its owner can still recover it. Try again in a week.',
    );
  return { outcome: 'created', id: null, isIdFree };
}

async function journalCancelledDeletion(
  context: Context,
  { id: accountId, email }: IncomingAccount,
  { journal }: ImportRules,
): Promise<void> {
  if (!journal?.find({ accountId, email })) return;
  await appendEntries(context, [await createEntry(context.config.dataDir, 'returned', { accountId, email })]);
}

async function addAccount(tx: Db, account: IncomingAccount, isIdFree: boolean): Promise<string> {
  const { id, terms, createdAt, takesMessages, takesAnnouncements, mutedKinds } = account;
  const { disabledAt, lastSeenAt, hiddenUntilSignIn } = account;
  const row = await tx
    .insertInto('accounts')
    .values({
      email: account.email,
      email_verified: account.emailVerified,
      password_hash: account.passwordHash ?? '!',
      terms_version: terms?.version ?? null,
      terms_accepted_at: terms?.acceptedAt ?? null,
      ...(id !== undefined && isIdFree && { id }),
      ...(createdAt && { created_at: createdAt }),
      ...(takesMessages !== undefined && { takes_messages: takesMessages }),
      ...(takesAnnouncements !== undefined && { takes_announcements: takesAnnouncements }),
      ...(mutedKinds && { muted_kinds: mutedKinds }),
      ...(disabledAt && { disabled_at: disabledAt }),
      ...(lastSeenAt && { last_seen_at: lastSeenAt }),
      ...(hiddenUntilSignIn && { hidden_until_sign_in: hiddenUntilSignIn }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

async function hideIfSignedOut(tx: Db, id: string, reason: HiddenReason): Promise<void> {
  await sql`
    update accounts set hidden_until_sign_in = ${reason}
    where id = ${id} and hidden_until_sign_in is null
      and not exists (select from sessions where account_id = ${id} and expires_at > now())`.execute(tx);
}

async function requestNoticeMailTo(
  db: Db,
  id: string,
  outcome: ImportOutcome,
  { isNotifying }: ImportRules,
): Promise<void> {
  if (!isNotifying) return;
  const account = await db
    .selectFrom('accounts')
    .select('hidden_until_sign_in')
    .where('id', '=', id)
    .where('is_active', '=', true)
    .executeTakeFirst();
  if (account && (outcome === 'created' || account.hidden_until_sign_in === 'imported'))
    await requestNoticeMail(db, id, 'imported');
}

async function addProfile(
  tx: Db,
  { institution, media }: Context,
  id: string,
  {
    columns,
    fields,
    picture,
    createdAt,
    career,
    ...privacy
  }: Omit<ReadProfile, 'picture'> & { picture: string | null },
  pictures: (string | null)[],
): Promise<boolean> {
  const account = await tx
    .selectFrom('accounts')
    .select(['email', 'is_active', 'profile_hidden_at', 'hidden_until_sign_in', 'takes_messages'])
    .select(sql<boolean>`${sql.raw(awaitsConfirmationSql)}`.as('awaits_confirmation'))
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new NotImportable('This account was deleted while it was being imported.'));
  const before = await findBoundPerson(tx, id);
  if (columns === null) {
    if (!before) pictures.push(await saveIncompleteProfile(tx, id, { fields: toTexts(fields), picture }));
    return false;
  }
  const incoming: Person = {
    ...toCareerColumns(career ?? before ?? emptyCareer),
    ...columns,
    id,
    email: account.email,
    picture,
    visibility: privacy.visibility ?? before?.visibility ?? {},
    isHidden: privacy.isHidden ?? before?.isHidden ?? false,
    isIndexed: privacy.isIndexed ?? before?.isIndexed ?? false,
    isDisabled: !account.is_active,
    isHiddenByStaff: account.profile_hidden_at !== null,
    awaitsSignIn: account.hidden_until_sign_in !== null,
    awaitsConfirmation: account.awaits_confirmation,
    takesMessages: account.takes_messages,
    isMinor: !hasReachedAge(columns.dob, institution.adultAge, new Date()),
  };
  const person = await holdBackChange(tx, institution, incoming, before);
  const isPublic = picture !== null && findPictureAudience(person) === 'everyone';
  const shown = isPublic ? await media.publish(picture) : picture;
  pictures.push(shown, before?.picture ?? null);
  await savePerson(tx, { ...person, picture: shown }, before);
  if (career) await saveCareerAnswers(tx, id, career);
  if (before && isOtherClaimant(person, before)) await forgetVouches(tx, id);
  if (createdAt && !before) await backdateListings(tx, id, createdAt);
  pictures.push((await deleteIncompleteProfile(tx, id))?.picture ?? null);
  return !hasSameIdentityValues(person, incoming);
}

async function saveCareerAnswers(tx: Db, id: string, { savedAt, dismissedAt, tracer }: IncomingCareer): Promise<void> {
  await tx
    .updateTable('profiles')
    .set({ career_saved_at: savedAt, career_dismissed_at: dismissedAt })
    .where('account_id', '=', id)
    .execute();
  await saveTracerAnswer(tx, id, tracer);
}

const toTexts = (fields: IncomingProfile['fields']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );

type StoredPhoto = Omit<IncomingPhoto, 'image'> & PhotoFiles;

async function addPhoto(tx: Db, accountId: string, { name, takenOn, createdAt, ...photo }: StoredPhoto): Promise<void> {
  const known = await tx
    .selectFrom('photos')
    .select('id')
    .where('account_id', '=', accountId)
    .where('title', '=', photo.title)
    // Exported times have milliseconds, PostgreSQL has microseconds.
    .where(sql<Date>`date_trunc('milliseconds', created_at)`, '=', createdAt)
    .executeTakeFirst();
  if (known) return;
  await insertPhoto(tx, { ...photo, account_id: accountId, picture: name, taken_on: takenOn, created_at: createdAt });
}

/**
 * Adds the blocks between a person and existing accounts. Each block is added with the second of the two people, so
 * that an interrupted import loses none.
 */
async function addBlocks(tx: Db, id: string, { blocked, blockedBy }: Blocks): Promise<void> {
  await sql`
    insert into blocks (account_id, blocked_id)
    select ${id}::uuid, id from accounts where email = any(${blocked}::text[]) and id <> ${id}
    union all
    select id, ${id}::uuid from accounts where email = any(${blockedBy}::text[]) and id <> ${id}
    on conflict do nothing`.execute(tx);
}
