import { randomUUID } from 'node:crypto';
import { noneValue } from '#contract/none.ts';
import type { Identity } from '#server/db/schema.ts';
import { rebuildNextListings } from '#server/domain/people/people.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';
import type { Member, TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { type RosterImports, openRosterImports } from '#server/testing/roster-imports.ts';

/*
 * A world is a class of its own: three people who are on the roster and ask to be confirmed, one of them with two
 * accounts, and three confirmed members. Many worlds share an archive, so that one import, one look at the lists and
 * one week that passes serve all of them. The objects here are the notes of the test about what happened. Nothing in
 * them comes from the functions that are tested.
 */

export interface Person extends Identity {
  readonly dob: string;
}

export interface Human {
  readonly name: string;
  readonly person: Person;
  readonly matricNumber: string;
  readonly mailboxes: string[];
  readonly isTruthful: boolean;
}

export interface Entry {
  readonly id: number;
  readonly owner: Human;
  readonly matricNumber: string;
  readonly email: string;
  readonly phone: string;
  readonly slips: readonly Slip[];
  person: Person;
}

export interface Slip {
  readonly code: string;
  readonly person: Person;
  isUsed: boolean;
}

/** Why an account may be confirmed. A withdrawal removes all grounds. */
export interface Ground {
  readonly kind: 'campus' | 'code' | 'email' | 'staff' | 'vouches';
  readonly entry: Entry | null;
  /** False after an import has turned the entry into another person, until staff decide about it. */
  canRead: boolean;
  before?: Person;
}

export interface Account {
  readonly name: string;
  readonly uid: string;
  readonly human: Human;
  readonly device: Device;
  email: string;
  pendingEmail: string | null;
  profile: Identity;
  /** Whether others see the account, which in this archive means that it is confirmed. */
  isListed: boolean;
  hasBeenListed: boolean;
  isDeleted: boolean;
  /** Whether the university account of the person is connected. */
  isConnected: boolean;
  grounds: Ground[];
  vouches: Map<Account, Identity>;
  claimedDob: string | null;
  /** Identities of other people that staff accepted for this account, or for which it had a slip. */
  accepted: Identity[];
}

export interface PendingDecision {
  readonly itemId: string;
  /** @param outcome `confirmed`, `keep`, `transfer` or `accept`; another text or undefined if it did not take effect */
  readonly settle: (outcome: string | undefined) => void;
}

export interface World {
  readonly number: number;
  readonly archive: TestArchive;
  readonly staff: RosterImports;
  readonly template: Member;
  readonly claimants: Account[];
  readonly vouchers: readonly Account[];
  readonly entries: readonly Entry[];
  readonly openedPages: { code: string; version: string; voucher: Account; claimant: Account; seen: Identity }[];
  pending: PendingDecision[];
  readonly log: string[];
}

const vouchersOf = [
  { firstName: 'Vera', lastName: 'Obi', isTruthful: true },
  { firstName: 'Victor', lastName: 'Eze', isTruthful: true },
  // Vouches for anyone. Two such members could make up a person, so there is one.
  { firstName: 'Vito', lastName: 'Liar', isTruthful: false },
];

const claimantsOf = (department: string): Person[] => [
  { firstName: 'Ada', lastName: 'Okafor', department, yearGraduated: 2010, dob: '1988-05-17' },
  { firstName: 'Ben', lastName: 'Bello', department, yearGraduated: 2010, dob: '1987-11-23' },
  { firstName: 'Mara', lastName: 'Stone', department, yearGraduated: 2011, dob: '1989-02-09' },
];

export const zoeOf = ({ number }: Pick<World, 'number'>): Person => ({
  firstName: 'Zoé',
  lastName: 'Idris',
  department: departmentOf(number),
  yearGraduated: 2010,
  dob: '1988-08-30',
});

const departmentOf = (number: number) => `Department ${number}`;

/**
 * Creates worlds in an archive that requires confirmation. Writes rows directly: signing up takes 50 ms for each of
 * thousands of accounts.
 */
export async function createWorlds(archive: TestArchive, numbers: readonly number[]): Promise<World[]> {
  const staff = await openRosterImports(archive);
  const template = await archive.createMember();
  const worlds = numbers.map((number): World => {
    const department = departmentOf(number);
    const humans = claimantsOf(department).map((person, at): Human => {
      const name = person.firstName.toLowerCase();
      const mailboxes = [`${name}-${number}@mail.example`, `${name}-${number}-campus@mail.example`];
      // The roster of every second world has the address of the account.
      return {
        name,
        person,
        matricNumber: `W/${number}/${at}`,
        mailboxes: (number + at) % 2 === 0 ? mailboxes : mailboxes.toReversed(),
        isTruthful: true,
      };
    });
    const vouchers = vouchersOf.map(({ isTruthful, ...names }) =>
      createAccount(archive, {
        name: names.firstName.toLowerCase(),
        human: {
          name: names.firstName.toLowerCase(),
          person: { ...names, department, yearGraduated: 2010, dob: '1988-01-20' },
          matricNumber: `V/${number}/${names.firstName}`,
          mailboxes: [`${names.firstName}-${number}@mail.example`.toLowerCase()],
          isTruthful,
        },
      }),
    );
    for (const voucher of vouchers) {
      voucher.isListed = true;
      voucher.grounds = [{ kind: 'staff', entry: null, canRead: true }];
    }
    const [, , mara] = humans;
    if (!mara) throw new Error('There are three people.');
    const entries = humans.map((human, at): Entry => ({
      id: number * 10 + at,
      owner: human,
      matricNumber: `W/${number}/${at}`,
      email: `${human.name}-${number}@mail.example`,
      phone: `+234 ${number} ${at} 555`,
      slips: [],
      person: human.person,
    }));
    const accounts = humans.map((human) => createAccount(archive, { name: human.name, human }));
    const [first] = accounts;
    if (first && number % 4 < 2) {
      first.isListed = true;
      first.grounds = [{ kind: 'code', entry: entries[0] ?? null, canRead: true }];
    }
    return {
      number,
      archive,
      staff,
      template,
      claimants: [
        ...accounts,
        createAccount(archive, { name: 'mara’s second account', human: mara, email: `mara-${number}-2@mail.example` }),
      ],
      vouchers,
      entries,
      openedPages: [],
      pending: [],
      log: [],
    };
  });
  const accounts = worlds.flatMap(({ claimants, vouchers }) => [...claimants, ...vouchers]);
  await insertAccounts(archive, template, accounts);
  await insertEntries(archive, worlds);
  await insertConfirmations(archive, accounts);
  // Autovacuum is off in tests.
  await archive.pool.query('analyze');
  return worlds;
}

export function createAccount(
  archive: TestArchive,
  { name, human, email }: { readonly name: string; readonly human: Human; readonly email?: string },
): Account {
  return {
    name,
    uid: randomUUID(),
    human,
    device: archive.openDevice(),
    email: email ?? human.mailboxes[0] ?? '',
    pendingEmail: null,
    profile: human.person,
    isListed: false,
    hasBeenListed: false,
    isDeleted: false,
    isConnected: false,
    grounds: [],
    vouches: new Map(),
    claimedDob: null,
    accepted: [],
  };
}

export async function insertAccounts({ pool }: TestArchive, template: Member, accounts: readonly Account[]) {
  const rows = accounts.map(({ uid, email, profile, human, isListed, device }) => {
    const { token, hash } = newToken();
    device.cookies.set('sid', token);
    return {
      account_id: uid,
      email,
      display_name: `${profile.lastName} ${profile.firstName}`,
      is_confirmed: isListed,
      token_hash: `\\x${hash.toString('hex')}`,
      first_name: profile.firstName,
      middle_name: noneValue,
      last_name: profile.lastName,
      matric_number: human.matricNumber,
      department: profile.department,
      year_admitted: 2006,
      year_graduated: profile.yearGraduated,
      dob: human.person.dob,
      picture: null,
    };
  });
  const json = JSON.stringify(rows);
  const columns = 'account_id uuid, email text, display_name text, is_confirmed boolean, token_hash bytea';
  await pool.query(
    `insert into accounts (id, email, email_verified, password_hash, display_name, membership_status, confirmed_at)
     select r.account_id, r.email, true, t.password_hash, r.display_name, case when is_confirmed then 'confirmed' else 'unconfirmed' end,
       case when is_confirmed then now() - interval '30 days' end
     from accounts t, json_to_recordset($2) as r (${columns}) where t.id = $1`,
    [template.uid, json],
  );
  await pool.query(
    `insert into profiles select n.* from profiles p, jsonb_array_elements($2::jsonb) r, jsonb_populate_record(p, r) n where p.account_id = $1`,
    [template.uid, json],
  );
  await pool.query(
    `insert into sessions (token_hash, account_id, expires_at)
     select token_hash, account_id, now() + interval '1 year' from json_to_recordset($1) as r (${columns})`,
    [json],
  );
}

async function insertConfirmations({ pool, context }: TestArchive, accounts: readonly Account[]): Promise<void> {
  const rows = accounts
    .filter(({ isListed }) => isListed)
    .map(({ uid, grounds: [ground] }) => ({ id: randomUUID(), account_id: uid, entry_id: ground?.entry?.id ?? null }));
  const json = JSON.stringify(rows);
  await pool.query(
    `insert into evidence (id, account_id, entry_id, kind, assurance, created_at)
     select id, account_id, entry_id, case when entry_id is null then 'staff-review' else 'printed-code' end, 'strong', now() - interval '30 days'
     from json_populate_recordset(null::evidence, $1)`,
    [json],
  );
  await pool.query(
    `insert into confirmed_identities (account_id, evidence_id, entry_id, first_name, last_name, department, year_graduated, matric_number)
     select account_id, r.id, entry_id, first_name, last_name, department, year_graduated, matric_number
     from json_populate_recordset(null::evidence, $1) r join profiles p using (account_id)`,
    [json],
  );
  await pool.query(
    `insert into roster_links (entry_id, account_id, linked_at)
     select entry_id, account_id, now() - interval '30 days' from json_populate_recordset(null::evidence, $1) where entry_id is not null`,
    [json],
  );
  for (let last: string | null = null; ;) {
    last = await rebuildNextListings(context.db, last);
    if (last === null) break;
  }
}

async function insertEntries({ pool, context }: TestArchive, worlds: readonly World[]): Promise<void> {
  const entries = worlds.flatMap(({ entries }) => entries);
  const slips = [];
  for (const { id, person, slips: own } of entries)
    for (let count = 0; count < 2; count++) {
      const { code, hash } = await context.membershipCodes.create();
      (own as Slip[]).push({ code, person, isUsed: false });
      slips.push({ entry_id: id, code_hash: `\\x${hash.toString('hex')}` });
    }
  await pool.query(
    `insert into roster_entries (id, matric_number, matric_key, last_name, first_name, birth_date, department, year_admitted,
       year_graduated, email, phone, words, first_import, last_import)
     overriding system value
     select id, matric_number, matric_key, last_name, first_name, birth_date, department, 2005, year_graduated, email, phone, '{}', 1, 1
     from json_populate_recordset(null::roster_entries, $1)`,
    [
      JSON.stringify(
        entries.map(({ id, matricNumber, person, email, phone }) => ({
          id,
          matric_number: matricNumber,
          matric_key: toMatricKey(matricNumber),
          last_name: person.lastName,
          first_name: person.firstName,
          birth_date: person.dob,
          department: person.department,
          year_graduated: person.yearGraduated,
          email,
          phone,
        })),
      ),
    ],
  );
  await pool.query(
    `insert into membership_codes (code_hash, entry_id, kind, expires_at)
     select code_hash, entry_id, 'printed', now() + interval '1 year' from json_populate_recordset(null::membership_codes, $1)`,
    [JSON.stringify(slips)],
  );
}

/** One person: the same words in any order, case and spelling, and the same class. */
export const isSamePerson = (a: Identity, b: Identity): boolean =>
  toWords(a) === toWords(b) && a.department === b.department && a.yearGraduated === b.yearGraduated;

export const hasSameName = (a: Identity, b: Identity): boolean => toWords(a) === toWords(b);

const toWords = ({ firstName, lastName }: Identity): string =>
  `${firstName} ${lastName}`
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z]+/u)
    .filter(Boolean)
    .toSorted()
    .join(' ');

export const describe = ({ firstName, lastName, department, yearGraduated }: Identity): string =>
  `${[firstName, lastName].filter(Boolean).join(' ')}, ${department} ${yearGraduated}`;
