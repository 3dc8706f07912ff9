import { sql } from 'kysely';
import { termsVersion } from '#contract/terms.ts';
import { type StaffScope, wholeInstitution } from '#contract/staff/scope.ts';
import type { StaffRole } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { insertPhoto } from '#server/domain/people/photos.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { openChange } from '#server/domain/membership/identity-changes.ts';
import { findClass, insertCorrection } from '#server/domain/roster/corrections.ts';
import { findItemScope } from '#server/domain/roster/item-scope.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import { grantRole } from '#server/domain/staff/roles.ts';
import { joinItem } from '#server/features/reports/report-content.ts';
import { requestExport } from '#server/features/staff-people/exports/make-export.ts';
import { createSecretBox } from '#server/platform/crypto/secret-box.ts';
import { base32, totpCode, totpStep } from '#server/platform/crypto/totp.ts';
import { createRandom } from './random.ts';
import { paintPortrait } from './portrait.ts';
import { type Graduate, demoCodes, findReopened } from './roster.ts';

/** Demo staff by role, with the password of the demo account and `demoSecret` as second factor. */
export const staffAccounts = {
  owner: 'owner@alumni.example',
  registrar: 'registrar@alumni.example',
  moderator: 'moderator@alumni.example',
  'class-representative': 'representative@alumni.example',
} as const satisfies Record<StaffRole, string>;

/** Secret of the authenticator app of all staff accounts of the demo. It is public, like their password. */
const demoSecret = Buffer.from('campus archive demo.');

export const demoSetupKey = base32(demoSecret);

export const computeDemoCode = (): string => totpCode(demoSecret, totpStep());

const photoTitles = ['Matriculation, front row', 'After the last paper', 'Hall cup'] as const;

type DemoPhoto = Awaited<ReturnType<Context['media']['storePhoto']>> & { readonly title: string };

export async function storePhotos({ media }: Pick<Context, 'media'>): Promise<DemoPhoto[]> {
  const random = createRandom(20_261_123);
  const photos = [];
  for (const title of photoTitles)
    photos.push({ title, ...(await media.storePhoto(await paintPortrait(random, 'female'), false)) });
  return photos;
}

export const representativeIndex = 1;

export async function seedStaff(
  { config, institution }: Pick<Context, 'config' | 'institution'>,
  tx: Db,
  people: readonly Graduate[],
  { passwordHash, photos }: { readonly passwordHash: string; readonly photos: readonly DemoPhoto[] },
): Promise<void> {
  const representative = people[representativeIndex];
  const [demo] = people;
  const box = createSecretBox(config.dataDir);
  const ids = new Map<StaffRole, string>();
  for (const [role, email] of Object.entries(staffAccounts) as [StaffRole, string][]) {
    const id = role === 'class-representative' ? representative?.id : await insertAccount(tx, email, passwordHash);
    if (id === undefined) continue;
    ids.set(role, id);
    await tx
      .insertInto('authenticators')
      .values({ account_id: id, secret: await box.seal(demoSecret, id), confirmed_at: sql<Date>`now()` })
      .execute();
    const scope: StaffScope = {
      ...wholeInstitution,
      ...(role === 'registrar' && { college: demo?.college ?? null }),
      ...(role === 'class-representative' && {
        department: representative?.department ?? null,
        yearFrom: representative?.yearGraduated ?? null,
        yearTo: representative?.yearGraduated ?? null,
      }),
    };
    await grantRole(tx, { accountId: id, role, scope, endsAt: null }, null);
  }
  await recordStaffAction(tx, {
    actor: ids.get('owner') ?? null,
    action: 'codes-printed',
    details: { codes: demoCodes.length },
  });
  if (representative) await addCorrection(tx, institution, people, representative.id);
  await addChange(tx);
  await addReopenedClaim(tx, people, ids.get('owner') ?? null);
  await addReports(tx, people, { photos, moderatorId: ids.get('moderator') ?? null });
}

async function addCorrection(
  tx: Db,
  institution: Context['institution'],
  people: readonly Graduate[],
  proposedBy: string,
): Promise<void> {
  const scopes = [wholeInstitution];
  for (const { department, yearGraduated: year } of people.slice(representativeIndex)) {
    const found = await findClass(tx, institution, scopes, { department, year });
    const person = found.find(({ hasAccount }) => !hasAccount);
    if (!person) continue;
    const form = { reason: 'deceased', entryId: person.id, text: 'The family told the class at the reunion.' } as const;
    const proposed = await insertCorrection(tx, institution, scopes, form, proposedBy);
    if (typeof proposed === 'string') return;
    const subject = { kind: 'correction', id: proposed.id } as const;
    const details = { reason: form.reason };
    await recordStaffAction(tx, { actor: proposedBy, action: 'correction-proposed', subject, details });
    return;
  }
}

async function addChange(tx: Db): Promise<void> {
  const { rows } = await sql<{ id: string; first_name: string }>`
    select c.account_id as id, p.first_name from confirmed_identities c join profiles p on p.account_id = c.account_id
    where c.ended_at is null and p.gender = 'female' and p.last_name <> 'Bankole'
    order by p.year_graduated desc, p.matric_number limit 1`.execute(tx);
  for (const { id, first_name } of rows) await openChange(tx, id, { first_name, last_name: 'Bankole' });
}

async function addReopenedClaim(tx: Db, people: readonly Graduate[], ownerId: string | null): Promise<void> {
  const claimant = findReopened(people);
  if (!claimant || ownerId === null) return;
  const reason =
    'We could not confirm you with these details. Check your matric number, or bring a document to the alumni office.';
  const { rows } = await sql<{ earlier: string; opened: string }>`
    with opened as (
      update claims set created_at = now(), updated_at = now() where account_id = ${claimant.id} returning *),
    earlier as (
      insert into claims (account_id, typed, college, department, year_graduated, state, created_at, updated_at, decided_at, decided_by, reason)
      select account_id, typed, college, department, year_graduated, 'rejected', now() - interval '18 days', now() - interval '18 days',
        now() - interval '15 days', 'staff', ${reason}
      from opened returning id),
    latest as (update claim_attempts set created_at = now() - interval '18 days' where account_id = ${claimant.id}),
    first as (
      insert into claim_attempts (account_id, kind, typed, created_at)
      select account_id, 'claim', typed || '{"dob": "1990-01-01", "note": ""}', now() - interval '20 days' from opened)
    select earlier.id as earlier, opened.id as opened from earlier, opened`.execute(tx);
  const [claims] = rows;
  if (!claims) return;
  await tx.updateTable('accounts').set({ membership_status: 'rejected' }).where('id', '=', claimant.id).execute();
  await tx
    .insertInto('review_reopenings')
    .values({ kind: 'claim', item_id: claims.earlier, reopened_as: claims.opened })
    .execute();
  await tx
    .insertInto('review_notes')
    .values({
      kind: 'claim',
      item_id: claims.opened,
      about: claimant.id,
      author_id: ownerId,
      text: 'The claimant came to the office with the statement of result.',
    })
    .execute();
  const record = { actor: ownerId, subject: { kind: 'claim', id: claims.earlier } } as const;
  await recordStaffAction(tx, { ...record, action: 'claim-rejected', details: { isImpostor: false } });
  await recordStaffAction(tx, { ...record, action: 'claim-reopened', details: { as: claims.opened } });
}

export async function requestDemoExport({ db, limiter }: Pick<Context, 'db' | 'limiter'>): Promise<void> {
  const { id } = await db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', staffAccounts.registrar)
    .executeTakeFirstOrThrow();
  await requestExport(
    { db, limiter },
    { accountId: id, scopes: (await findScopes(db, id))('export-people') },
    { filter: {}, columns: ['last-name', 'first-name', 'department', 'year-graduated', 'email'] },
  );
}

async function insertAccount(tx: Db, email: string, passwordHash: string): Promise<string> {
  const { id } = await tx
    .insertInto('accounts')
    .values({
      email,
      email_verified: true,
      password_hash: passwordHash,
      terms_version: termsVersion,
      terms_accepted_at: new Date(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function addReports(
  tx: Db,
  people: readonly Graduate[],
  { photos, moderatorId }: { readonly photos: readonly DemoPhoto[]; readonly moderatorId: string | null },
): Promise<void> {
  const members = people.filter(({ membership }) => membership === 'confirmed').slice(representativeIndex + 1);
  const [photographer, reported, first, second] = members;
  if (!photographer || !reported || !first || !second) return;
  const photoIds: string[] = [];
  for (const { name, width, height, title } of photos)
    photoIds.push(
      await insertPhoto(tx, {
        account_id: photographer.id,
        picture: name,
        width,
        height,
        album: 'Class photos',
        title,
        place: null,
        taken_on: null,
        audience: 'members',
      }),
    );
  const hoursAgo = (hours: number) => sql<Date>`now() - make_interval(hours => ${hours})`;
  const ofProfile = {
    kind: 'profile' as const,
    subject_id: reported.id,
    ...(await findItemScope(tx, reported.id, null)),
  };
  const scopeOfPhotos = await findItemScope(tx, photographer.id, null);
  const ofPhoto = (at: number) => ({
    kind: 'photo' as const,
    subject_id: photographer.id,
    photo_id: photoIds[at] ?? null,
    ...scopeOfPhotos,
  });
  const reports = [
    {
      ...ofProfile,
      reporter_id: first.id,
      reason: 'not-this-person',
      text: 'I shared a room with the real one. This is not their picture, and the years are wrong.',
      created_at: hoursAgo(50),
    },
    {
      ...ofProfile,
      reporter_id: second.id,
      reason: 'other',
      text: 'Asks classmates for money.',
      created_at: hoursAgo(20),
    },
    {
      ...ofPhoto(0),
      reporter_id: first.id,
      reason: 'in-picture',
      text: '',
      has_hidden: true,
      created_at: hoursAgo(9),
    },
    {
      ...ofPhoto(1),
      guest_email: 'guest@mail.example',
      reason: 'offensive',
      text: 'My late father is in it. Please ask the family first.',
      created_at: hoursAgo(3),
    },
  ];
  for (const report of reports) {
    const { id } = await tx.insertInto('reports').values(report).returning('id').executeTakeFirstOrThrow();
    await joinItem(tx, id);
  }
  // As `hideReportedPhoto` does, without a mail to the owner.
  await tx
    .updateTable('photos')
    .set({ moderation: 'reported', moderated_at: hoursAgo(9) })
    .where('id', '=', photoIds[0] ?? null)
    .execute();
  const { id } = await tx
    .insertInto('reports')
    .values({
      ...ofProfile,
      reporter_id: second.id,
      reason: 'other',
      text: 'The name is spelled in an unusual way.',
      created_at: hoursAgo(24 * 30),
      closed_at: hoursAgo(24 * 29),
      outcome: 'nothing',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordStaffAction(tx, { actor: moderatorId, action: 'report-closed', subject: { kind: 'report', id } });
}
