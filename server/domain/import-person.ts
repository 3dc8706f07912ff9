import { hasReachedAge } from '#contract/age.ts';
import { sql } from 'kysely';
import * as z from 'zod/mini';
import { Email } from '#contract/fields.ts';
import { NewPhoto as PhotoForm } from '#contract/gallery.ts';
import type { OptionalKind } from '#contract/notifications.ts';
import { type ProfileDocument, pointerTo, toForm } from '#contract/profile.ts';
import type { Privacy } from '#contract/visibility.ts';
import type { Db } from '../db/client.ts';
import type { HiddenReason } from '../db/schema.ts';
import { isRefusedValue } from '../db/errors.ts';
import type { DeletionJournal } from '../platform/deletion-journal.ts';
import { UnreadablePicture, checkPicture } from '../platform/media.ts';
import { isAddressTaken } from './accounts.ts';
import type { Context } from './context.ts';
import { dateBack, findPerson, savePerson, toColumns } from './people.ts';
import { insertPhoto } from './photos.ts';
import { removeUnused } from './pictures.ts';
import { readProfileForm } from './profile-form.ts';
import { dropUnfinished, putUnfinished } from './unfinished-profiles.ts';
import { type Person, pictureAudience } from './visibility.ts';

/** Somebody who comes from elsewhere: another archive of ours, or another program. */
export interface Newcomer {
  readonly account: NewAccount;
  /** Null for somebody who has not completed one. */
  readonly profile: NewProfile | null;
  /** What there is of somebody without a profile who has still to complete one. */
  readonly unfinished?: NewUnfinished | null;
  readonly photos: readonly NewPhoto[];
  readonly blocks?: Blocks;
}

/** Who does not want to hear from whom. Of both lists those count who are here by then: for the others it is done when they come. */
export interface Blocks {
  /** The canonical addresses of people whom they have blocked. */
  readonly blocked: readonly string[];
  /** Of people who have blocked them. */
  readonly blockedBy: readonly string[];
}

interface NewAccount {
  /** A UUID to keep; without one, or where somebody else has it, a new one. */
  readonly id?: string;
  /** In any spelling; a person is known by its canonical one. */
  readonly email: string;
  readonly emailVerified: boolean;
  /** As `passwords.verify` reads it; null for an account that nobody can sign in to before a new password has been mailed for. */
  readonly passwordHash: string | null;
  readonly createdAt?: Date;
  readonly terms?: { readonly version: string; readonly acceptedAt: Date | null } | null;
  readonly takesMessages?: boolean;
  readonly mutedKinds?: OptionalKind[];
  /** Where the operator has switched the account off. */
  readonly disabledAt?: Date | null;
  readonly lastSeenAt?: Date;
  /** Why the profile is hidden from others until its owner signs in. */
  readonly hiddenUntilSignIn?: HiddenReason | null;
}

interface NewProfile extends Partial<Privacy> {
  /** The specification's stored shape, without its picture. */
  readonly document: Omit<ProfileDocument, 'imgURL' | 'visibility'>;
  /** A JPEG, PNG or WebP. */
  readonly picture: Buffer | null;
  readonly createdAt?: Date;
}

interface NewUnfinished {
  /** Of the onboarding, by their names; they may break its rules. */
  readonly fields: Readonly<Record<string, string>>;
  readonly picture: Buffer | null;
}

interface NewPhoto {
  readonly image: Buffer;
  readonly album: string;
  readonly title: string;
  readonly place: string | null;
  /** `YYYY-MM-DD` */
  readonly takenOn: string | null;
  readonly audience: 'everyone' | 'members';
  readonly createdAt: Date;
}

/** The result for a person. `skipped`: an account exists already. `deleted`: the person deleted their account here after joining. */
export type Imported = 'created' | 'updated' | 'skipped' | 'deleted';

/** Somebody cannot be imported; the message says in a sentence why. */
export class NotImportable extends Error {
  override readonly name = 'NotImportable';
}

interface Options {
  /** Overwrites profile, picture and choices of somebody who has an account, and adds their photos; never how they sign in. */
  readonly update?: boolean;
  /** Checks everything and writes nothing. */
  readonly dryRun?: boolean;
  /** The deletions to respect; null to leave no one out. */
  readonly deletions?: DeletionJournal | null;
}

/**
 * Puts one person into the archive: account, profile, picture, photos and blocks, all or nothing, by the rules of a save. Nobody
 * is told of it, and no mail goes out. Whoever is skipped gets no block: they may have taken it back here.
 * @throws NotImportable when something about them breaks a rule
 */
export async function importPerson(
  context: Context,
  newcomer: Newcomer,
  { update = false, dryRun = false, deletions = null }: Options = {},
): Promise<Imported> {
  const { db } = context;
  const email = readEmail(newcomer.account.email);
  const columns = readColumns(context, newcomer.profile);
  const photoForms = newcomer.photos.map(readPhoto);
  const known = await db.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst();
  if (known && !update) return 'skipped';
  if (!known && deletions && hasLeft(deletions, newcomer.account, email)) return 'deleted';
  if (!known && (await isAddressTaken(db, email, null))) {
    throw new NotImportable('Somebody here has given this address up and can still take it back. Try again in a week.');
  }
  if (dryRun) {
    for (const image of imagesOf(newcomer)) await readPicture(() => checkPicture(image));
    return known ? 'updated' : 'created';
  }
  const stored: string[] = [];
  const replaced: (string | null)[] = [];
  try {
    const picture = await storePicture(context, newcomer, stored);
    const photos: (NewPhoto & StoredAs)[] = [];
    for (const photo of photoForms) {
      const file = await readPicture(() => context.media.storePhoto(photo.image, photo.audience === 'everyone'));
      stored.push(file.name);
      photos.push({ ...photo, ...file });
    }
    const withPublicPicture = async (person: Person): Promise<Person> => {
      if (person.picture === null || pictureAudience(person) !== 'everyone') return person;
      const published = await context.media.publish(person.picture);
      stored.push(published);
      return { ...person, picture: published };
    };
    await db.transaction().execute(async (tx) => {
      const id = known?.id ?? (await addAccount(tx, newcomer.account, email));
      const { is_active: isActive, hidden_until_sign_in: hiddenUntilSignIn } = await tx
        .selectFrom('accounts')
        .select(['is_active', 'hidden_until_sign_in'])
        .where('id', '=', id)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow(() => new NotImportable('This account was deleted while it was imported.'));
      if (columns && newcomer.profile) {
        const before = await findPerson(tx, id);
        const { visibility, isHidden, isIndexed } = newcomer.profile;
        const person: Person = {
          ...before,
          ...columns,
          id,
          email,
          picture,
          visibility: visibility ?? before?.visibility ?? {},
          isHidden: isHidden ?? before?.isHidden ?? false,
          isIndexed: isIndexed ?? before?.isIndexed ?? false,
          isDisabled: !isActive,
          awaitsSignIn: hiddenUntilSignIn !== null,
          isMinor: !hasReachedAge(columns.dob, context.institution.adultAge, new Date()),
        };
        await savePerson(tx, await withPublicPicture(person), before);
        replaced.push(before?.picture ?? null);
        replaced.push(await dropUnfinished(tx, id));
        const { createdAt } = newcomer.profile;
        if (createdAt && !before) await dateBack(tx, id, createdAt);
      }
      if (!columns && newcomer.unfinished && !(await findPerson(tx, id)))
        replaced.push(await putUnfinished(tx, id, { ...newcomer.unfinished, picture }));
      for (const photo of photos) await addPhoto(tx, id, photo);
      if (newcomer.blocks) await addBlocks(tx, id, newcomer.blocks);
    });
    // A photo that was there already has been stored once too often.
    await removeUnused(context, [...replaced.filter((name) => name !== null), ...stored]);
    return known ? 'updated' : 'created';
  } catch (error) {
    await removeUnused(context, stored);
    if (!isRefusedValue(error)) throw error;
    throw new NotImportable(`The database does not take it: ${error.message}.`, { cause: error });
  }
}

/** An account that was created after the deletion is another one of the same person. */
function hasLeft(deletions: DeletionJournal, { id, createdAt }: NewAccount, email: string): boolean {
  const deletion = deletions.find({ accountId: id, email });
  return deletion !== null && (createdAt === undefined || createdAt <= deletion.at);
}

function readEmail(text: string): string {
  const { data, error } = Email.safeParse(text);
  if (error) throw new NotImportable(`"${text}" is no e-mail address.`);
  return data;
}

/** The profile's columns. @throws NotImportable with every rule that is broken */
function readColumns({ institution }: Context, profile: NewProfile | null) {
  if (!profile) return null;
  const read = readProfileForm(institution, { ...toForm(profile.document), imgURL: null });
  if ('form' in read) return toColumns(read.form);
  throw new NotImportable(
    `Breaks the rules of the archive: ${read.wrong.map(({ field, message }) => `${pointerTo(field)} (${message})`).join(', ')}.`,
  );
}

const PhotoRules = z.omit(PhotoForm, { image: true });

/** A photo with its texts as they are stored. @throws NotImportable */
function readPhoto({ image, album, title, place, takenOn, audience, createdAt }: NewPhoto): NewPhoto {
  const texts = { album, title, audience, ...(place !== null && { place }), ...(takenOn !== null && { takenOn }) };
  const { data, error } = PhotoRules.safeParse(texts);
  if (data) return { ...data, place: data.place ?? null, takenOn: data.takenOn ?? null, image, createdAt };
  const wrong = error.issues.map(({ path, message }) => `/${path.join('/')} (${message})`);
  throw new NotImportable(`A photo breaks the rules of the archive: ${wrong.join(', ')}.`);
}

const portraitOf = ({ profile, unfinished }: Newcomer): Buffer | null => (profile ?? unfinished)?.picture ?? null;

const imagesOf = (newcomer: Newcomer): Buffer[] => [
  ...[portraitOf(newcomer)].filter((image) => image !== null),
  ...newcomer.photos.map(({ image }) => image),
];

async function storePicture({ media }: Context, newcomer: Newcomer, stored: string[]): Promise<string | null> {
  const image = portraitOf(newcomer);
  if (!image) return null;
  const name = await readPicture(() => media.store(image));
  stored.push(name);
  return name;
}

async function readPicture<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadablePicture)) throw error;
    throw new NotImportable('A picture cannot be read. It has to be a JPEG, PNG or WebP.', { cause: error });
  }
}

async function addAccount(tx: Db, account: NewAccount, email: string): Promise<string> {
  const {
    id,
    emailVerified,
    passwordHash,
    createdAt,
    terms,
    takesMessages,
    mutedKinds,
    disabledAt,
    lastSeenAt,
    hiddenUntilSignIn,
  } = account;
  const isFree = id && !(await tx.selectFrom('accounts').select('id').where('id', '=', id).executeTakeFirst());
  const row = await tx
    .insertInto('accounts')
    .values({
      email,
      email_verified: emailVerified,
      password_hash: passwordHash ?? '!',
      terms_version: terms?.version ?? null,
      terms_accepted_at: terms?.acceptedAt ?? null,
      ...(isFree && { id }),
      ...(createdAt && { created_at: createdAt }),
      ...(takesMessages !== undefined && { takes_messages: takesMessages }),
      ...(mutedKinds && { muted_kinds: mutedKinds }),
      ...(disabledAt && { disabled_at: disabledAt }),
      ...(lastSeenAt && { last_seen_at: lastSeenAt }),
      ...(hiddenUntilSignIn && { hidden_until_sign_in: hiddenUntilSignIn }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** The same photo, by its owner, its title and the moment at which it was added, is not added twice. */
async function addPhoto(
  tx: Db,
  accountId: string,
  { name, width, height, album, title, place, takenOn, audience, createdAt }: NewPhoto & StoredAs,
): Promise<void> {
  const known = await tx
    .selectFrom('photos')
    .select('id')
    .where('account_id', '=', accountId)
    .where('title', '=', title)
    // What comes from a file has milliseconds, where PostgreSQL has six digits.
    .where(sql<Date>`date_trunc('milliseconds', created_at)`, '=', createdAt)
    .executeTakeFirst();
  if (known) return;
  await insertPhoto(tx, {
    account_id: accountId,
    picture: name,
    width,
    height,
    album,
    title,
    place,
    taken_on: takenOn,
    audience,
    created_at: createdAt,
  });
}

/** In the transaction that brings the later one of the two: there is no moment, and no end of an import, without it. */
async function addBlocks(tx: Db, id: string, { blocked, blockedBy }: Blocks): Promise<void> {
  await sql`
    insert into blocks (account_id, blocked_id)
    select ${id}::uuid, id from accounts where email = any(${blocked}::text[]) and id <> ${id}
    union all
    select id, ${id}::uuid from accounts where email = any(${blockedBy}::text[]) and id <> ${id}
    on conflict do nothing`.execute(tx);
}

interface StoredAs {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}
