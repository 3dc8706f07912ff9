import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import { type Db, now } from '#server/db/client.ts';
import type { ProfileColumns } from '#contract/profile-fields.ts';
import { withCollege } from './adopt-entry.ts';
import { type ConfirmedIdentity, findConfirmedIdentity, replaceIdentity, toIdentity } from './confirmed-identity.ts';
import { identitiesAgree, namesAgree } from './identity-agreement.ts';
import { queueOutcome } from './membership-notices.ts';
import { type StoredPerson, findPerson, findPersons, savePerson } from '../people/people.ts';
import { type EntryFacts, undisputedEntrySql } from '../roster/entry-facts.ts';
import { itemScopeSql } from '../roster/item-scope.ts';
import { toMatricKey } from '../roster/matric-key.ts';
import { lockAccount } from '../accounts/sessions.ts';
import type { Reopening } from '../staff/review.ts';
import type { Person } from '../people/visibility.ts';

/*
 * A confirmation belongs to one person. Values that a confirmed member saves and that disagree with the confirmed
 * identity wait for staff; the profile keeps the confirmed ones.
 */

const columns = [
  'first_name',
  'last_name',
  'matric_number',
  'college',
  'department',
  'year_admitted',
  'year_graduated',
] as const satisfies readonly (keyof ProfileColumns)[];

type IdentityValues = Pick<ProfileColumns, (typeof columns)[number]>;

function findDisagreement(identity: ConfirmedIdentity, wanted: IdentityValues): Partial<IdentityValues> {
  const { first_name, last_name, matric_number, college, department, year_admitted, year_graduated } = wanted;
  return {
    ...(!namesAgree(identity, toIdentity(wanted)) && { first_name, last_name }),
    ...(toMatricKey(identity.matricNumber) !== toMatricKey(matric_number) && { matric_number }),
    ...(identity.department !== department && { college, department }),
    ...(identity.yearGraduated !== year_graduated && { year_admitted, year_graduated }),
  };
}

/** What decides which values a confirmed member can save. */
interface Binding {
  readonly identity: ConfirmedIdentity;
  /** Values that wait for staff. */
  readonly waiting: Partial<IdentityValues> | null;
  /** The linked entry of the roster, unless it is contested. */
  readonly entry: EntryFacts | null;
}

export interface BoundPerson extends StoredPerson {
  readonly isConfirmed: boolean;
  /** Null if the account was never confirmed or no longer is, and in the mode `open`. */
  readonly binding: Binding | null;
}

const bindingSql = `a.membership_status = 'confirmed' as "isConfirmed", (
  select jsonb_build_object('identity', jsonb_build_object('firstName', i.first_name, 'lastName', i.last_name,
      'department', i.department, 'yearGraduated', i.year_graduated, 'matricNumber', i.matric_number),
    'waiting', (
      select jsonb_strip_nulls(jsonb_build_object(${columns.map((name) => `'${name}', c.${name}`).join(', ')}))
      from identity_changes c where c.account_id = a.id and c.closed_at is null),
    'entry', ${undisputedEntrySql})
  from confirmed_identities i join membership_mode on mode = 'confirmed'
  where i.account_id = a.id and i.ended_at is null) as binding`;

/** Returns the person of an account, with what a save compares. Call it in a transaction that has locked the account. */
export async function findBoundPerson(tx: Db, accountId: string): Promise<BoundPerson | null> {
  return (await findPersons<Omit<BoundPerson, keyof StoredPerson>>(tx, [accountId], bindingSql))[0] ?? null;
}

/**
 * Returns what to save instead of a changed profile: of a confirmed member, without the values that disagree with the
 * confirmed identity. These wait for staff, unless the linked entry of the roster says the same and is not contested.
 * The college follows the department: otherwise members could choose which staff are responsible for them.
 * Call it before the save, in the transaction that has read `before`.
 */
export async function holdBackChange<Changed extends Person>(
  tx: Db,
  { colleges }: Pick<Institution, 'colleges'>,
  changedPerson: Changed,
  before: BoundPerson | null,
): Promise<Changed> {
  if (!before?.binding) return changedPerson;
  const { identity, waiting, entry } = before.binding;
  const isSameDepartment = changedPerson.department === before.department;
  const person = withCollege(colleges, { ...changedPerson, ...(isSameDepartment && { college: before.college }) });
  const wanted = findDisagreement(identity, person);
  if (Object.keys(wanted).length === 0) return person;
  const changed: Changed = { ...person, ...waiting, ...wanted };
  if (
    entry &&
    identitiesAgree(toIdentity(changed), entry) &&
    toMatricKey(changed.matric_number) === toMatricKey(entry.matricNumber)
  ) {
    await replaceIdentity(tx, person.id, changed);
    return changed;
  }
  await openChange(tx, person.id, wanted);
  const kept = Object.keys(wanted).map((name) => [name, before[name as keyof IdentityValues]]);
  return { ...person, ...Object.fromEntries(kept) };
}

/** Opens a pending change of a confirmed member for staff, or adds to the one that is open, which keeps its scope. */
export async function openChange(tx: Db, accountId: string, wanted: Partial<IdentityValues>): Promise<{ id: string }> {
  const names = columns.filter((name) => wanted[name] !== undefined);
  const { rows } = await sql<{ id: string }>`
    insert into identity_changes (account_id, scope_college, scope_department, scope_year, ${sql.raw(names.join(', '))})
    select ${accountId}, college, department, year_graduated, ${sql.join(names.map((name) => wanted[name]))}
    from (${itemScopeSql(accountId, null)}) as scope
    on conflict (account_id) where closed_at is null
    do update set ${sql.raw(names.map((name) => `${name} = excluded.${name}`).join(', '))}, updated_at = now()
    returning id`.execute(tx);
  if (!rows[0]) throw new Error('The account does not exist.');
  return rows[0];
}

export const hasSameIdentityValues = (a: IdentityValues, b: IdentityValues): boolean =>
  columns.every((name) => a[name] === b[name]);

type OpenChange = Partial<IdentityValues> & { readonly id: string };

export async function findOpenChange(db: Db, accountId: string): Promise<OpenChange | null> {
  const row = await db
    .selectFrom('identity_changes')
    .select(['id', ...columns])
    .where('account_id', '=', accountId)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return row
    ? (Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as OpenChange)
    : null;
}

export const describeChange = ({
  first_name,
  last_name,
  matric_number,
  department,
  year_graduated,
}: OpenChange): string[] =>
  [[first_name, last_name].filter(Boolean).join(' '), matric_number, department, year_graduated?.toString()].filter(
    (text): text is string => Boolean(text),
  );

/**
 * Decides a pending change. Accepted values become the profile and the confirmed identity. Notifies the member. The
 * account of the change must be locked.
 * @returns whether it was pending
 */
export async function decideChange(
  tx: Db,
  changeId: string,
  outcome: 'accept' | 'refuse',
  answer: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('identity_changes')
    .select('account_id')
    .where('id', '=', changeId)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  if (!row || !(await lockAccount(tx, row.account_id))) return false;
  const change = await findOpenChange(tx, row.account_id);
  const before = await findPerson(tx, row.account_id);
  if (change?.id !== changeId || !before) return false;
  await closeChange(tx, changeId, outcome, answer);
  if (outcome === 'accept') {
    const { id: _, ...values } = change;
    const person = { ...before, ...values };
    await savePerson(tx, person, before);
    await replaceIdentity(tx, person.id, person);
  }
  await queueOutcome(tx, row.account_id, outcome === 'accept' ? 'change-accepted' : 'change-refused', {
    reason: answer,
  });
  return true;
}

export async function reopenChange(tx: Db, changeId: string): Promise<Reopening> {
  const row = await tx
    .selectFrom('identity_changes')
    .select(['account_id as accountId', 'outcome', ...columns])
    .where('id', '=', changeId)
    .executeTakeFirstOrThrow();
  const { accountId, outcome } = row;
  if (outcome === 'accept' || outcome === 'agreed')
    return {
      refusal:
        'The profile has the new values, and the confirmation is about them. Withdraw the confirmation if it is wrong.',
    };
  const identity = await findConfirmedIdentity(tx, accountId);
  if (!identity) return { refusal: 'The person is no longer confirmed, so changes need no decision.' };
  if (await findOpenChange(tx, accountId)) return { refusal: 'A change of this person waits in the queue already.' };
  const values = findDisagreement(identity, {
    first_name: row.first_name ?? identity.firstName,
    last_name: row.last_name ?? identity.lastName,
    matric_number: row.matric_number ?? identity.matricNumber,
    department: row.department ?? identity.department,
    year_graduated: row.year_graduated ?? identity.yearGraduated,
    college: row.college ?? '',
    year_admitted: row.year_admitted ?? 0,
  });
  if (Object.keys(values).length === 0) return { refusal: 'The person is confirmed with these values by now.' };
  return openChange(tx, accountId, values);
}

async function closeChange(tx: Db, id: string, outcome: 'accept' | 'refuse', answer: string): Promise<void> {
  await tx.updateTable('identity_changes').set({ closed_at: now, outcome, answer }).where('id', '=', id).execute();
}

/**
 * Restores the confirmed values in the profiles of confirmed members who changed them while the archive did not require
 * confirmation. What they changed waits for staff. Call it in the transaction that switches the mode, after the switch.
 */
export async function holdBackAllChanges(tx: Db): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select p.account_id as id from confirmed_identities i join profiles p on p.account_id = i.account_id
    where i.ended_at is null and (i.first_name, i.last_name, i.department, i.year_graduated, i.matric_number)
      is distinct from (p.first_name, p.last_name, p.department, p.year_graduated, p.matric_number)`.execute(tx);
  for (const { id } of rows) {
    const stored = await findBoundPerson(tx, id);
    if (!stored?.binding) continue;
    const { identity } = stored.binding;
    const confirmed = {
      ...stored,
      first_name: identity.firstName,
      last_name: identity.lastName,
      matric_number: identity.matricNumber,
      department: identity.department,
      year_graduated: identity.yearGraduated,
    };
    const person = await holdBackChange(tx, { colleges: [] }, stored, confirmed);
    await savePerson(tx, person, stored);
  }
}
