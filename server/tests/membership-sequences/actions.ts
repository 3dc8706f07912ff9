import { strFromU8, unzipSync } from 'fflate';
import type { Affiliation } from '#contract/campus.ts';
import type { ReviewDecision } from '#contract/staff/review.ts';
import type { ReviewKind } from '#contract/staff/values.ts';
import { noneValue } from '#contract/none.ts';
import type { Identity } from '#server/db/schema.ts';
import type { Random } from '#server/seed/random.ts';
import { campusDomain, putArrival } from '#server/testing/campus.ts';
import {
  type Account,
  type Entry,
  type Human,
  type Person,
  type World,
  createAccount,
  describe,
  hasSameName,
  insertAccounts,
  isSamePerson,
  zoeOf,
} from './worlds.ts';

export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
}

type Action = (world: World, random: Random) => Promise<string | null>;

/** What members do. They know everything about everyone, except codes and the mail of others. */
const memberActions: Record<string, Action> = {
  'save the profile': async (world, random) => {
    const account = pickClaimant(world, random);
    const wanted = random.pick(wishesOf(world, account, random));
    const { matricNumber } = random.chance(0.8) ? account.human : pickEntry(world, account, random);
    return `${account.name} saves ${describe(wanted)}, ${matricNumber}: ${await saveProfile(world, account, wanted, matricNumber)}`;
  },
  'save the own profile': async (world, random) => {
    const account = pickClaimant(world, random);
    return `${account.name} saves the own name and class: ${await saveProfile(world, account, account.human.person)}`;
  },
  'follow the list': async (world, random) => {
    const account = pickClaimant(world, random);
    const listed = world.entries.find(({ owner }) => owner === account.human)?.person;
    if (!listed || isSamePerson(listed, account.human.person)) return null;
    return `${account.name} saves what the list says, ${describe(listed)}: ${await saveProfile(world, account, listed)}`;
  },
  claim: async (world, random) => {
    const account = pickClaimant(world, random);
    const entry = pickEntry(world, account, random);
    const dob = random.chance(0.9) ? entry.person.dob : '1990-10-10';
    const response = await account.device.ask('POST /api/membership/claims', {
      body: { matricNumber: entry.matricNumber, dob },
    });
    const text = `${account.name} claims the entry of ${entry.owner.name} with ${dob}`;
    if (response.statusCode !== 200) return `${text}: ${response.statusCode}`;
    const { status } = response.json<{ status: string }>();
    if (!account.isListed) account.claimedDob = dob;
    if (!account.isListed && status === 'confirmed' && !addEmailGround(world, account, account.profile))
      throw new RuleBroken(
        `(c) a claim confirmed ${describe(account.profile)}, but the mailbox is not that of the entry`,
      );
    return `${text}: ${status}`;
  },
  'use a printed code': async (world, random) => {
    const account = pickClaimant(world, random);
    const entry = pickEntry(world, account, random);
    const slip = random.pick(entry.slips);
    const wasUsed = slip.isUsed;
    const result = await useCode(account, slip.code, entry);
    if (result === 'confirmed' && wasUsed && !account.grounds.some((ground) => ground.entry === entry))
      throw new RuleBroken('(d) a printed code confirmed an account a second time');
    const { person } = entry;
    if (result === 'confirmed' && !wasUsed && !(hasSameName(slip.person, person) && slip.person.dob === person.dob))
      throw new RuleBroken(`(c) the slip of ${describe(slip.person)} confirmed an account as ${describe(person)}`);
    if (result === 'confirmed' && !wasUsed) addGround(account, 'code', entry);
    if (result === 'confirmed' || result === 'waiting') slip.isUsed = true;
    return `${account.name} uses a slip of ${entry.owner.name}: ${result}`;
  },
  'ask for a mailed code': async (world, random) => {
    const account = pickClaimant(world, random);
    const { owner, matricNumber, person } = pickEntry(world, account, random);
    const { statusCode } = await account.device.ask('POST /api/membership/mailed-codes', {
      body: { matricNumber, dob: person.dob },
    });
    return `${account.name} asks for a code to the address of ${owner.name}: ${statusCode}`;
  },
  'use a mailed code': async (world, random) => {
    const account = pickClaimant(world, random);
    const entry = world.entries.find(({ owner }) => owner === account.human);
    const code = findMail(world, account.human, /studied here: (?<found>[\w -]+)/u);
    if (!entry || code === null) return null;
    const result = await useCode(account, code, entry);
    if (result === 'confirmed' && !account.isListed) addGround(account, 'code', entry);
    return `${account.name} uses the code in the own mailbox: ${result}`;
  },
  'ask someone to vouch': async (world, random) => {
    const claimant = pickClaimant(world, random);
    const voucher = random.pick([...world.vouchers, ...world.vouchers, ...world.vouchers, ...world.claimants]);
    const link = await claimant.device.ask('POST /api/membership/vouch-link');
    if (link.statusCode !== 200) return null;
    const code = link.json<{ url: string }>().url.split('/').at(-1) ?? '';
    const page = await voucher.device.ask('GET /api/membership/vouch-links/{code}', { params: { code } });
    if (page.statusCode !== 200) return null;
    const { name, department, yearGraduated, version } = page.json<
      Record<'name' | 'department' | 'version', string> & {
        yearGraduated: number;
      }
    >();
    const seen = { firstName: name, lastName: '', department, yearGraduated };
    world.openedPages.push({ code, version, voucher, claimant, seen });
    const text = `${claimant.name} asks ${voucher.name} to vouch for ${describe(seen)}`;
    return random.chance(0.2) ? text : `${text}: ${await answerPage(world, world.openedPages.length - 1)}`;
  },
  'answer an open page': async (world, random) => {
    if (world.openedPages.length === 0) return null;
    const at = random.integer(0, world.openedPages.length - 1);
    const page = world.openedPages[at];
    return `${page?.voucher.name} answers the open page about ${page?.claimant.name}: ${await answerPage(world, at)}`;
  },
  'connect the university account': async (world, random) => {
    const account = pickTwin(world, random);
    return `${account.name} connects the university account: ${await connect(world, account)}`;
  },
  'disconnect the university account': async (world, random) => {
    const account = pickTwin(world, random);
    const { statusCode } = await account.device.ask('DELETE /api/identity/campus');
    if (statusCode === 204) account.isConnected = false;
    return `${account.name} disconnects the university account: ${statusCode}`;
  },
  'claim with the university account': async (world, random) => {
    const account = pickTwin(world, random);
    // Otherwise, each account has the number of an entry.
    if (random.chance(0.4)) {
      const { person } = account.human;
      const famous = { ...person, firstName: 'Onyeka', lastName: 'Famous' };
      const wanted = random.pick([person, { ...person, department: 'Physics' }, famous]);
      await saveProfile(world, account, wanted, `X/${world.number}`);
    }
    if (random.chance(0.8)) await connect(world, account);
    await putArrival(world.archive, account.device, identityOf(world, account, random.chance(0.9) ? 'alum' : null));
    const response = await account.device.ask('POST /api/membership/campus');
    const text = `${account.name} claims with the university account`;
    if (response.statusCode >= 500) throw new RuleBroken(`${text}: ${response.statusCode}`);
    if (response.statusCode !== 200) return `${text}: ${response.statusCode}`;
    const { status } = response.json<{ status: string }>();
    if (!account.isConnected) throw new RuleBroken(`(e) ${text}, which is not connected`);
    // The claim now has the birth date of the profile.
    if (status === 'waiting') account.claimedDob ??= account.human.person.dob;
    if (status === 'confirmed' && !account.isListed) await addCampusGround(world, account);
    return `${text}: ${status}`;
  },
  'withdraw the claim': async (world, random) => {
    const account = pickClaimant(world, random);
    const { statusCode } = await account.device.ask('DELETE /api/membership/claims');
    if (statusCode === 204) forgetClaim(account);
    return `${account.name} withdraws the claim: ${statusCode}`;
  },
  'withdraw the evidence': async (world, random) => {
    const account = pickClaimant(world, random);
    const { statusCode } = await account.device.ask('DELETE /api/membership/evidence');
    if (statusCode === 204) forgetEverything(account);
    return `${account.name} withdraws the evidence: ${statusCode}`;
  },
  'object to a claim': async (world, random) => {
    const { human } = pickClaimant(world, random);
    const code = findMail(world, human, /not-you\?code=(?<found>[\w-]+)/u);
    if (code === null) return null;
    const { statusCode } = await world.archive
      .openDevice()
      .ask('POST /api/membership/disputes', { body: { code, text: 'Not me.' } });
    return `${human.name} follows the link “Not you?” in the mailbox: ${statusCode}`;
  },
  'change the address': async (world, random) => {
    const account = pickClaimant(world, random);
    if (account.pendingEmail === null) {
      const email = random.pick([...account.human.mailboxes, `${account.human.name}-${world.number}-new@mail.example`]);
      if (!account.human.mailboxes.includes(email)) account.human.mailboxes.push(email);
      const { statusCode } = await account.device.ask('POST /api/identity/email', { body: { email } });
      if (statusCode === 200) account.pendingEmail = email;
      return `${account.name} asks for the address ${email}: ${statusCode}`;
    }
    const { pendingEmail } = account;
    account.pendingEmail = null;
    const code = findMail(world, account.human, /oobCode=(?<found>[\w-]+)/u, [pendingEmail]);
    if (code === null) return null;
    const { statusCode } = await account.device.ask('POST /api/identity/action-code/apply', { body: { code } });
    if (statusCode < 300) account.email = pendingEmail;
    return `${account.name} follows the link to ${pendingEmail}: ${statusCode}`;
  },
  'delete the account and sign up again': async (world, random) => {
    const account = pickClaimant(world, random);
    const { statusCode } = await account.device.ask('DELETE /api/identity/account');
    if (statusCode !== 200) return null;
    account.isDeleted = true;
    forgetEverything(account);
    const { human } = account;
    const email = `${human.name}-${world.number}-again-${world.claimants.length}@mail.example`;
    human.mailboxes.push(email);
    const next = createAccount(world.archive, { name: `${account.name}’s next account`, human, email });
    await insertAccounts(world.archive, world.template, [next]);
    world.claimants.push(next);
    return `${account.name} deletes the account and signs up again`;
  },
  'read the own data': async (world, random) => {
    const account = random.pick([...world.claimants, ...world.vouchers]);
    await expectOnlyOwnEntry(world, account);
    return `${account.name} downloads the own data`;
  },
};

const staffActions: Record<string, Action> = {
  'confirm or reject a claim': async (world, random) => {
    const account = pickClaimant(world, random);
    const entry = random.chance(0.3) ? null : pickEntry(world, account, random);
    const claimId = await findItem(world, `select id from claims where state = 'waiting' and account_id = $1`, account);
    if (claimId === null) return null;
    const isImpostor = random.chance(0.4);
    if (random.chance(0.3))
      return decide(world, 'claim', claimId, { outcome: 'reject', reason: 'Not found.', isImpostor }, account);
    return decide(
      world,
      'claim',
      claimId,
      { outcome: 'confirm', entryId: entry?.id ?? null, seen: 'Passport' },
      account,
      (outcome) => {
        if (outcome === 'confirmed') addGround(account, 'staff', entry);
      },
    );
  },
  'link an account to an entry': async (world, random) => {
    const account = pickClaimant(world, random);
    const entry = pickEntry(world, account, random);
    const { statusCode } = await world.staff.registrar.device.ask('POST /api/staff/roster/entries/{id}/link', {
      params: { id: entry.id },
      body: { accountId: account.uid, seen: 'Passport' },
    });
    if (statusCode !== 204) return null;
    addGround(account, 'staff', entry);
    return `staff link ${account.name} to the entry of ${entry.owner.name}`;
  },
  'confirm many claims': async (world) => {
    const { rows } = await world.archive.pool.query<{ id: string; accountId: string; entryId: string }>(
      `select id, account_id as "accountId", agreeing_entry as "entryId" from claims
       where state = 'waiting' and entry_told_at is not null and account_id = any($1)`,
      [world.claimants.map(({ uid }) => uid)],
    );
    if (rows.length === 0) return null;
    const items = [];
    for (const { id } of rows) items.push({ id, version: (await findVersion(world, 'claim', id)) ?? '' });
    const { decided } = await world.staff.registrar.device.call('POST /api/staff/queue/claims/confirm', {
      body: { items },
    });
    for (const { id, accountId, entryId } of rows) {
      const account = world.claimants.find(({ uid }) => uid === accountId);
      const entry = world.entries.find((one) => one.id === Number(entryId));
      if (!decided.includes(id) || !account || !entry) continue;
      world.pending.push({
        itemId: id,
        settle: (outcome) => {
          if (outcome === 'confirmed') addGround(account, 'staff', entry);
        },
      });
    }
    return `staff confirm ${rows.length} claims together: ${decided.length} decided`;
  },
  'decide a dispute': async (world, random) => {
    const { rows } = await world.archive.pool.query<{
      id: string;
      entryId: string;
      holderId: string;
      claimantId: string;
    }>(
      `select id, entry_id as "entryId", holder_id as "holderId", claimant_id as "claimantId" from disputes
       where closed_at is null and entry_id = any($1) order by created_at, id`,
      [world.entries.map(({ id }) => id)],
    );
    if (rows.length === 0) return null;
    const { id, ...parties } = random.pick(rows);
    const entry = world.entries.find((one) => one.id === Number(parties.entryId));
    const [holder, claimant] = [parties.holderId, parties.claimantId].map((uid) =>
      world.claimants.find((account) => account.uid === uid),
    );
    if (!entry) return null;
    const outcome = random.pick(['keep', 'transfer'] as const);
    return decide(world, 'dispute', id, { outcome, isImpostor: random.chance(0.3) }, holder, (result) => {
      if (result !== 'keep' && result !== 'transfer') return;
      const [winner, loser] = result === 'keep' ? [holder, claimant] : [claimant, holder];
      if (loser) loser.grounds = loser.grounds.filter((ground) => ground.entry !== entry);
      if (winner) addGround(winner, 'staff', entry);
    });
  },
  'decide a change': async (world, random) => {
    const account = pickClaimant(world, random);
    const { rows } = await world.archive.pool.query<{
      id: string;
      first: string | null;
      last: string | null;
      department: string | null;
      year: number | null;
    }>(
      `select id, first_name as first, last_name as last, department, year_graduated as year from identity_changes
       where closed_at is null and account_id = $1`,
      [account.uid],
    );
    const [change] = rows;
    if (!change) return null;
    const outcome = random.pick(['accept', 'refuse'] as const);
    return decide(world, 'change', change.id, { outcome, text: 'We saw a document.' }, account, (result) => {
      if (result !== 'accept') return;
      const { profile } = account;
      const name = change.first === null ? profile : { firstName: change.first, lastName: change.last ?? '' };
      account.accepted.push({
        firstName: name.firstName,
        lastName: name.lastName,
        department: change.department ?? profile.department,
        yearGraduated: change.year ?? profile.yearGraduated,
      });
    });
  },
  'withdraw a confirmation': async (world, random) => {
    const account = pickClaimant(world, random);
    const { statusCode } = await world.staff.registrar.device.ask(
      'POST /api/staff/people/{id}/confirmation-withdrawal',
      {
        params: { id: account.uid },
        body: { reason: 'The slip was stolen.', isImpostor: random.chance(0.4) },
      },
    );
    if (statusCode !== 204) return null;
    forgetEverything(account);
    return `staff withdraw the confirmation of ${account.name}`;
  },
  'clear an impostor': async (world, random) => {
    const account = pickClaimant(world, random);
    const { statusCode } = await world.staff.registrar.device.ask('POST /api/staff/people/{id}/impostor-clearance', {
      params: { id: account.uid },
      body: { reason: 'saw-person' },
    });
    return statusCode === 204 ? `staff clear ${account.name}` : null;
  },
  'correct an entry': async (world, random) => {
    const entry = random.pick(world.entries);
    const { firstName, lastName, department, yearGraduated } = random.pick(peopleOf(world));
    const correction = random.chance(0.7)
      ? ({ reason: 'wrong-name', entryId: entry.id, firstName, lastName } as const)
      : ({
          reason: 'wrong-class',
          entryId: entry.id,
          department: department ?? '',
          yearGraduated: yearGraduated ?? 0,
        } as const);
    const answer = await world.staff.owner.device.ask('POST /api/staff/corrections', { body: { correction } });
    if (answer.statusCode !== 200) return null;
    const { id } = answer.json<{ id: string }>();
    const text = await decide(world, 'correction', id, { outcome: 'accept' }, undefined, () => undefined);
    return `${text} (${correction.reason} of ${entry.owner.name}: ${describe({ ...entry.person, firstName, lastName })})`;
  },
};

export const actions: Record<string, Action> = { ...memberActions, ...staffActions };

const weights: Record<string, number> = {
  'save the profile': 5,
  'follow the list': 4,
  'save the own profile': 2,
  claim: 3,
  'use a printed code': 5,
  'use a mailed code': 2,
  'ask someone to vouch': 6,
  'claim with the university account': 6,
  'withdraw the claim': 3,
  'withdraw the evidence': 3,
  'confirm or reject a claim': 4,
  'decide a dispute': 2,
  'decide a change': 4,
};

export const actionNames = Object.keys(actions).flatMap((name) =>
  Array.from({ length: weights[name] ?? 1 }, () => name),
);

function pickClaimant({ claimants }: World, random: Random): Account {
  const active = claimants.filter(({ isDeleted }) => !isDeleted);
  return (random.chance(0.65) ? active[0] : undefined) ?? random.pick(active);
}

/** Often picks an account of a person with several, who could use one university account for all of them. */
function pickTwin(world: World, random: Random): Account {
  const active = world.claimants.filter(({ isDeleted }) => !isDeleted);
  const twins = active.filter((account) => active.some((one) => one !== account && one.human === account.human));
  return twins.length > 0 && random.chance(0.5) ? random.pick(twins) : pickClaimant(world, random);
}

const pickEntry = ({ entries }: World, { human }: Account, random: Random): Entry =>
  random.pick(random.chance(0.6) ? entries.filter(({ owner }) => owner === human) : entries);

export const peopleOf = (world: World): Person[] => [...world.entries.map(({ owner }) => owner.person), zoeOf(world)];

function wishesOf(world: World, { human: { person } }: Account, random: Random): Identity[] {
  const other = random.pick([...peopleOf(world), ...world.entries.map((entry) => entry.person)]);
  return [
    other,
    { ...person, firstName: other.firstName, lastName: other.lastName },
    { ...other, firstName: other.lastName.toUpperCase(), lastName: other.firstName },
    { ...person, department: 'Physics' },
    { ...person, yearGraduated: random.integer(2009, 2012) },
    { ...person, firstName: 'Onyeka', lastName: 'Famous' },
  ];
}

async function saveProfile(
  world: World,
  account: Account,
  wanted: Identity,
  matricNumber = account.human.matricNumber,
) {
  const { document } = world.template;
  const response = await account.device.ask('PUT /api/users/{id}', {
    params: { id: account.uid },
    body: {
      ...document,
      imgURL: null,
      dob: account.human.person.dob,
      name: { first: wanted.firstName, middle: noneValue, last: wanted.lastName, other: '' },
      academic: {
        ...document.academic,
        matricNumber,
        department: wanted.department ?? '',
        year: { admitted: 2006, graduated: wanted.yearGraduated ?? 0 },
      },
    },
  });
  if (response.statusCode !== 200) return response.statusCode;
  const { name, academic } = response.json<typeof document>();
  const saved = {
    firstName: name.first,
    lastName: name.last,
    department: academic.department,
    yearGraduated: academic.year.graduated,
  };
  // Vouches and a claim are about the person that they were for.
  if (!isSamePerson(saved, account.profile)) forgetClaim(account);
  account.profile = saved;
  return response.statusCode;
}

async function useCode(account: Account, code: string, entry: Entry): Promise<string> {
  const wasListed = account.isListed;
  const response = await account.device.ask('POST /api/membership/codes', { body: { code } });
  if (response.statusCode !== 200) return String(response.statusCode);
  const { status } = response.json<{ status: string }>();
  // The pending claim now has the birth date of the profile.
  if (status === 'waiting' && !wasListed) account.claimedDob ??= account.human.person.dob;
  if (status === 'confirmed' && !wasListed && !isSamePerson(account.profile, entry.person))
    throw new RuleBroken(`(c) a code for ${describe(entry.person)} confirmed ${describe(account.profile)}`);
  return status;
}

const identityOf = ({ number }: World, { human: { name, person } }: Account, affiliation: Affiliation | null) => {
  const { firstName, lastName } = person;
  const subject = `${name}-${number}`;
  return { subject, email: `${subject}@${campusDomain}`, firstName, lastName, affiliation };
};

async function connect(world: World, account: Account): Promise<number> {
  await putArrival(world.archive, account.device, identityOf(world, account, null));
  const { statusCode } = await account.device.ask('POST /api/identity/campus');
  if (statusCode !== 204) return statusCode;
  account.isConnected = true;
  if (world.claimants.filter((one) => one.human === account.human && one.isConnected && !one.isDeleted).length > 1)
    throw new RuleBroken(`(e) the university account of ${account.human.name} is connected with two accounts`);
  return statusCode;
}

/** The university vouches for the name, and the entry for the class. Without an entry, the class is what they typed. */
async function addCampusGround(world: World, account: Account): Promise<void> {
  const { human, profile, uid } = account;
  const { rows } = await world.archive.pool.query<{ id: string }>(
    'select entry_id as id from roster_links where account_id = $1',
    [uid],
  );
  const entry = world.entries.find(({ id }) => id === Number(rows[0]?.id)) ?? null;
  if (!hasSameName(profile, human.person))
    throw new RuleBroken(`(c) the university account of ${human.name} confirmed ${describe(profile)}`);
  const own = world.entries.filter(({ person }) => isSamePerson(person, profile));
  if (entry ? !own.includes(entry) : own.length > 0)
    throw new RuleBroken(`(c) a university account confirmed ${describe(profile)} with another entry, or none`);
  if (world.claimants.some((one) => one.human === human && one.grounds.some(({ kind }) => kind === 'campus')))
    throw new RuleBroken(`(e) the university account of ${human.name} confirmed two accounts`);
  account.grounds.push({ kind: 'campus', entry, canRead: true });
  account.accepted.push(profile);
}

async function answerPage({ openedPages }: World, at: number): Promise<string> {
  const [page] = openedPages.splice(at, 1);
  if (!page) return 'no page';
  const { code, version, voucher, claimant, seen } = page;
  const isTrue = isSamePerson(seen, claimant.human.person);
  const answer = isTrue || !voucher.human.isTruthful ? 'yes' : 'no';
  const { statusCode } = await voucher.device.ask('PUT /api/membership/vouch-links/{code}', {
    params: { code },
    body: { answer, version },
  });
  if (statusCode === 204 && answer === 'yes') claimant.vouches.set(voucher, seen);
  if (statusCode === 204 && answer === 'no') claimant.vouches.delete(voucher);
  return `${answer} ${statusCode}`;
}

/**
 * Adds a ground. Staff say that the account is the person of its profile and of the entry. An account that uses the
 * code of a lost slip counts as the person of the entry: this is not an attack by members alone.
 */
function addGround(account: Account, kind: 'code' | 'staff', entry: Entry | null): void {
  account.grounds.push({ kind, entry, canRead: true });
  if (kind === 'staff') account.accepted.push(account.profile);
  if (!entry) return;
  account.accepted.push(entry.person);
  const { department, yearGraduated } = entry.person;
  if (kind === 'staff') account.accepted.push({ ...account.profile, department, yearGraduated });
  // Decisions about an entry that an import changed make it readable again.
  for (const ground of account.grounds) if (ground.entry === entry) ground.canRead = true;
}

export function addEmailGround({ entries }: World, account: Account, shown: Identity): boolean {
  const { email, claimedDob } = account;
  const entry = entries.find(
    (one) => one.email === email && one.person.dob === claimedDob && isSamePerson(one.person, shown),
  );
  if (!entry) return false;
  account.grounds.push({ kind: 'email', entry, canRead: true });
  // An import may have changed who the registrar says has this mailbox.
  account.accepted.push(entry.person);
  return true;
}

function forgetClaim(account: Account): void {
  account.vouches.clear();
  account.claimedDob = null;
}

function forgetEverything(account: Account): void {
  forgetClaim(account);
  account.grounds = [];
  account.accepted = [];
  account.isListed = false;
}

function findMail(world: World, { mailboxes }: Human, pattern: RegExp, addresses = mailboxes): string | null {
  const found = addresses
    .flatMap((address) => world.archive.inbox.to(address))
    .map(({ text }) => pattern.exec(text)?.groups?.['found'] ?? null)
    .filter((text) => text !== null);
  return found.at(-1) ?? null;
}

async function findItem({ archive }: World, query: string, { uid }: Account): Promise<string | null> {
  const { rows } = await archive.pool.query<{ id: string }>(query, [uid]);
  return rows[0]?.id ?? null;
}

async function findVersion({ staff }: World, kind: ReviewKind, id: string): Promise<string | null> {
  const { device } = staff.registrar;
  const response =
    kind === 'correction'
      ? await device.ask('GET /api/staff/corrections/{id}', { params: { id } })
      : await device.ask('GET /api/staff/queue/{kind}/{id}', { params: { kind, id } });
  if (response.statusCode !== 200) return null;
  return kind === 'correction'
    ? response.json<{ version: string }>().version
    : response.json<{ item: { version: string } }>().item.version;
}

async function decide(
  world: World,
  kind: ReviewKind,
  itemId: string,
  decision: ReviewDecision,
  account: Account | undefined,
  settle: (outcome: string | undefined) => void = () => undefined,
): Promise<string | null> {
  const version = await findVersion(world, kind, itemId);
  if (version === null) return null;
  const { statusCode } = await world.staff.registrar.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
    params: { kind, id: itemId },
    body: { decision, version },
  });
  if (statusCode === 200) world.pending.push({ itemId, settle });
  const entryId = 'entryId' in decision ? decision.entryId : undefined;
  const entry = world.entries.find(({ id }) => id === entryId);
  const about = account ? ` of ${account.name}` : '';
  return `staff decide the ${kind}${about}: ${decision.outcome}${entry ? ` as the entry of ${entry.owner.name}` : ''}: ${statusCode}`;
}

/** @throws RuleBroken if the data of an account contains a value of an entry for which there is no ground */
export async function expectOnlyOwnEntry({ entries }: World, account: Account): Promise<void> {
  const zip = await account.device.ask('GET /api/users/{id}/export', { params: { id: account.uid } });
  if (zip.statusCode !== 200) return;
  const text = Object.entries(unzipSync(zip.rawPayload))
    .filter(([path]) => path.endsWith('.json'))
    .map(([, content]) => strFromU8(content))
    .join('\n');
  for (const entry of entries)
    if (text.includes(entry.phone) && !account.grounds.some((ground) => ground.entry === entry && ground.canRead))
      throw new RuleBroken(`(b) ${account.name} reads the phone number in the entry of ${entry.owner.name}`);
}
