import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import { type EvidenceKind, assuranceOf } from '#contract/membership.ts';
import type { Db } from '#server/db/client.ts';
import { openClaim } from '#server/domain/membership/claims.ts';
import { openDispute } from '#server/domain/membership/confirmations.ts';
import type { Context } from '#server/domain/context.ts';
import type { MembershipCodes } from '#server/domain/membership/membership-codes.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { type EntryValues, findEntryIds, linkEntries, writeEntries } from '#server/domain/roster/write-entries.ts';
import { type InventedPerson, inventPerson } from './invent.ts';
import { type Random, createRandom } from './random.ts';

export interface Graduate extends InventedPerson {
  readonly id: string;
  readonly email: string;
  readonly membership: 'confirmed' | 'claimant' | 'newcomer';
}

/** The first is for the newcomer's entry, the others for entries of people without an account. */
export const demoCodes = ['DEM0C0DE0001', 'DEM0C0DE0002', 'DEM0C0DE0003'] as const;

/** Whether the person with this index has a pending claim. One of them, 81, is in the class of the demo account. */
export const claimsMembership = (index: number): boolean => index % 160 === 41 || index === 81;

const usualKinds: readonly EvidenceKind[] = [
  'printed-code',
  'printed-code',
  'printed-code',
  'roster-email',
  'roster-email',
  'staff-review',
];

/** Time since all confirmations. Vouching requires seven days. */
const confirmedAgo = sql`interval '60 days'`;

/**
 * Requires confirmation, and adds a roster with all people of the campus and others, confirms people, and adds claims,
 * a dispute and printed codes. Uses few statements, because a visitor waits for the demo.
 * @param people the first one is the demo account
 */
export async function seedRoster(
  tx: Db,
  { institution, membershipCodes }: Pick<Context, 'institution' | 'membershipCodes'>,
  people: readonly Graduate[],
  { entries, lastYear }: { readonly entries: number; readonly lastYear: number },
): Promise<void> {
  const random = createRandom(20_261_122);
  await sql`update membership_mode set mode = 'confirmed', changed_at = now()`.execute(tx);
  const roster = createRoster(random, institution, people, { entries, lastYear });
  await writeEntries(tx, [...roster.values()]);
  const ids = await findEntryIds(
    tx,
    Array.from(roster.values(), ({ matricNumber }) => matricNumber),
  );
  const confirmed = await confirmPeople(tx, random, people, ids);
  await addClaims(tx, people, confirmed);
  await askAgreeingEntries(tx, people, ids);
  await addCodes(tx, membershipCodes, people, [...roster.keys()], ids);
}

function createRoster(
  random: Random,
  institution: Institution,
  people: readonly Graduate[],
  { entries, lastYear }: { readonly entries: number; readonly lastYear: number },
): Map<string, EntryValues> {
  const roster = new Map<string, EntryValues>();
  const add = (person: InventedPerson, email: string | null) => {
    const key = toMatricKey(person.matricNumber);
    if (!roster.has(key)) roster.set(key, toEntry(person, email));
  };
  const formerNames = findFormerNames(people);
  // First, so that no entry of another person has their numbers.
  const agreeing = listAgreeing(people);
  for (const person of agreeing)
    add(person, `${toMatricKey(person.matricNumber)}@students.alumni.example`.toLowerCase());
  for (const person of people)
    add(
      { ...person, lastName: formerNames.get(person.id) ?? person.lastName },
      random.chance(0.6) ? person.email : null,
    );
  while (roster.size < entries) add(inventPerson(random, institution, lastYear), null);
  return roster;
}

const toEntry = (person: InventedPerson, email: string | null): EntryValues => ({
  matricNumber: person.matricNumber,
  lastName: person.lastName,
  firstName: person.firstName,
  otherNames: person.middleName,
  gender: person.gender === 'female' || person.gender === 'male' ? person.gender : null,
  birthDate: person.dob,
  college: person.college,
  department: person.department,
  program: person.program,
  yearAdmitted: person.yearAdmitted,
  yearGraduated: person.yearGraduated,
  email,
  phone: null,
  status: 'graduate',
  isConfidential: false,
  diedOn: null,
});

interface Confirmed {
  readonly accountId: string;
  readonly entryId: number | null;
  readonly kind: EvidenceKind;
}

async function confirmPeople(
  tx: Db,
  random: Random,
  people: readonly Graduate[],
  ids: ReadonlyMap<string, number>,
): Promise<Confirmed[]> {
  const taken = new Set(
    people.flatMap(({ membership, matricNumber }) => (membership === 'confirmed' ? [] : [toMatricKey(matricNumber)])),
  );
  const confirmed = people
    .filter(({ membership }) => membership === 'confirmed')
    .map(({ id: accountId, matricNumber }): Confirmed => {
      const key = toMatricKey(matricNumber);
      const entryId = taken.has(key) ? null : (ids.get(key) ?? null);
      taken.add(key);
      return { accountId, entryId, kind: entryId === null ? 'staff-review' : random.pick(usualKinds) };
    });
  await linkEntries(
    tx,
    confirmed.flatMap(({ accountId, entryId }) => (entryId === null ? [] : [{ accountId, entryId }])),
  );
  await addEvidence(tx, confirmed);
  await sql`
    update accounts set membership_status = 'confirmed', confirmed_at = now() - ${confirmedAgo}
    where id = any(${confirmed.map(({ accountId }) => accountId)}::uuid[])`.execute(tx);
  await sql`
    insert into confirmed_identities (account_id, evidence_id, entry_id, first_name, last_name, department, year_graduated, matric_number, confirmed_at)
    select e.account_id, e.id, e.entry_id, first_name, last_name, department, year_graduated, matric_number, e.created_at
    from evidence e join profiles p on p.account_id = e.account_id`.execute(tx);
  return confirmed;
}

async function addEvidence(tx: Db, people: readonly Confirmed[]): Promise<void> {
  const evidence = people.map(({ accountId, entryId, kind }) => ({
    account_id: accountId,
    entry_id: entryId,
    kind,
    assurance: assuranceOf[kind],
  }));
  await sql`
    insert into evidence (account_id, entry_id, kind, assurance, created_at)
    select account_id, entry_id, kind, assurance, now() - ${confirmedAgo}
    from json_to_recordset(${JSON.stringify(evidence)}::json) as e (account_id uuid, entry_id bigint, kind text, assurance text)`.execute(
    tx,
  );
}

const listClaimants = (people: readonly Graduate[]): Graduate[] =>
  people.filter(({ membership }) => membership === 'claimant');

const listAgreeing = (people: readonly Graduate[]): Graduate[] =>
  listClaimants(people).filter((_, at) => at === 2 || at === 5);

export const findReopened = (people: readonly Graduate[]): Graduate | undefined => listClaimants(people)[3];

function findFormerNames(people: readonly Graduate[]): Map<string, string> {
  const claimants = listClaimants(people);
  return new Map(
    claimants.flatMap(({ id }, at) => (at % 3 === 1 ? [[id, claimants[at - 1]?.lastName ?? ''] as const] : [])),
  );
}

async function addClaims(tx: Db, people: readonly Graduate[], confirmed: readonly Confirmed[]): Promise<void> {
  const claimants = listClaimants(people);
  const formerNames = findFormerNames(people);
  const agreeing = new Set(listAgreeing(people).map(({ id }) => id));
  const holder = confirmed.findLast(({ entryId, kind }) => entryId !== null && assuranceOf[kind] === 'strong');
  const numbers = new Map(people.map(({ id, matricNumber }) => [id, matricNumber]));
  for (const [at, { id, dob, matricNumber }] of claimants.entries()) {
    const typed =
      at === 0
        ? { matricNumber: numbers.get(holder?.accountId ?? '') ?? '', note: 'Someone else uses my matric number.' }
        : at % 3 === 0
          ? { matricNumber: matricNumber.replace(/\d(?=\D*$)/u, ''), note: 'I do not have my number in front of me.' }
          : formerNames.has(id)
            ? { matricNumber, note: `At university my last name was ${formerNames.get(id)}.` }
            : { matricNumber: agreeing.has(id) ? matricNumber : matricNumber.slice(0, -3), note: '' };
    await openClaim(tx, id, { dob, ...typed });
  }
  await sql`
    update claims as c set created_at = now() - n * interval '7 hours', updated_at = now() - n * interval '7 hours'
    from (select id, row_number() over (order by id) as n from claims) as numbered where numbered.id = c.id`.execute(
    tx,
  );
  await sql`update accounts set created_at = now() - interval '30 days' where id in (select account_id from claims)`.execute(
    tx,
  );
  await sql`
    insert into claim_attempts (account_id, kind, typed, created_at) select account_id, 'claim', typed, created_at from claims`.execute(
    tx,
  );
  const [disputing] = claimants;
  if (disputing && holder && holder.entryId !== null) {
    await addEvidence(tx, [{ accountId: disputing.id, entryId: holder.entryId, kind: 'printed-code' }]);
    await openDispute(tx, { entryId: holder.entryId, holderId: holder.accountId, claimantId: disputing.id });
  }
}

async function askAgreeingEntries(
  tx: Db,
  people: readonly Graduate[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  for (const { id, matricNumber } of listAgreeing(people)) {
    const entryId = ids.get(toMatricKey(matricNumber)) ?? null;
    await sql`
      update claims set agreeing_entry = ${entryId}, created_at = now() - interval '9 days', updated_at = now() - interval '9 days',
        entry_told_at = now() - interval '8 days'
      where account_id = ${id}`.execute(tx);
    await sql`update claim_attempts set created_at = now() - interval '9 days' where account_id = ${id}`.execute(tx);
  }
}

async function addCodes(
  tx: Db,
  membershipCodes: MembershipCodes,
  people: readonly Graduate[],
  keys: readonly string[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const newcomer = people.find(({ membership }) => membership === 'newcomer');
  const wanted = [toMatricKey(newcomer?.matricNumber ?? ''), ...keys.slice(people.length).slice(1 - demoCodes.length)];
  const hashes = await Promise.all(demoCodes.map((code) => membershipCodes.hash(code)));
  const codes = hashes.flatMap((hash, at) => {
    const entryId = ids.get(wanted[at] ?? '');
    return hash && entryId !== undefined ? [{ hash, entryId }] : [];
  });
  await tx
    .insertInto('membership_codes')
    .values(
      codes.map(({ hash, entryId }) => ({
        code_hash: hash,
        entry_id: entryId,
        kind: 'printed' as const,
        expires_at: sql<Date>`now() + interval '10 years'`,
      })),
    )
    .execute();
}
