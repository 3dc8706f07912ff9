import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import type { ProfileColumns } from '#contract/profile-fields.ts';
import { withCollege } from './adopt-entry.ts';
import { type ConfirmedIdentity, findConfirmedIdentity, replaceIdentity, toIdentity } from './confirmed-identity.ts';
import { identitiesAgree, namesAgree } from './identity-agreement.ts';
import { queueOutcome } from './membership-notices.ts';
import { type StoredPerson, findPerson, savePerson } from '../people/people.ts';
import { findEntryFacts } from '../roster/entry-facts.ts';
import { findItemScope } from '../roster/item-scope.ts';
import { findUndisputedEntry } from '../roster/links.ts';
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

/**
 * Returns what to save instead of a changed profile: of a confirmed member, without the values that disagree with the
 * confirmed identity. These wait for staff, unless the linked entry of the roster says the same and is not contested.
 * The college follows the department: otherwise members could choose which staff are responsible for them.
 * Call it in a transaction that has locked the account, before the save.
 */
export async function holdBackChange<Changed extends Person>(
  tx: Db,
  { colleges }: Pick<Institution, 'colleges'>,
  changedPerson: Changed,
  before: StoredPerson | null,
): Promise<Changed> {
  const identity = before && (await findConfirmedIdentity(tx, changedPerson.id));
  if (!identity) return changedPerson;
  const isSameDepartment = changedPerson.department === before.department;
  const person = withCollege(colleges, { ...changedPerson, ...(isSameDepartment && { college: before.college }) });
  const wanted = findDisagreement(identity, person);
  if (Object.keys(wanted).length === 0) return person;
  const { id, ...waiting } = (await findOpenChange(tx, person.id)) ?? { id: null };
  const changed: Changed = { ...person, ...waiting, ...wanted };
  const entryId = await findUndisputedEntry(tx, person.id);
  const entry = entryId === null ? null : await findEntryFacts(tx, entryId);
  if (
    entry &&
    identitiesAgree(toIdentity(changed), entry) &&
    toMatricKey(changed.matric_number) === toMatricKey(entry.matricNumber)
  ) {
    if (id !== null) await closeChange(tx, id, 'agreed');
    await replaceIdentity(tx, person.id, changed);
    return changed;
  }
  if (id === null) await openChange(tx, person.id, wanted);
  else
    await tx
      .updateTable('identity_changes')
      .set({ ...wanted, updated_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute();
  const kept = Object.keys(wanted).map((name) => [name, before?.[name as keyof IdentityValues]]);
  return { ...person, ...Object.fromEntries(kept) };
}

export async function openChange(tx: Db, accountId: string, wanted: Partial<IdentityValues>): Promise<{ id: string }> {
  const { college, department, year_graduated } = await findItemScope(tx, accountId, null);
  return tx
    .insertInto('identity_changes')
    .values({
      ...wanted,
      account_id: accountId,
      scope_college: college,
      scope_department: department,
      scope_year: year_graduated,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
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

async function closeChange(tx: Db, id: string, outcome: 'accept' | 'refuse' | 'agreed', answer = ''): Promise<void> {
  await tx
    .updateTable('identity_changes')
    .set({ closed_at: sql<Date>`now()`, outcome, answer })
    .where('id', '=', id)
    .execute();
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
    const [stored, identity] = [await findPerson(tx, id), await findConfirmedIdentity(tx, id)];
    if (!stored || !identity) continue;
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
