import { parseArgs } from 'node:util';
import { agreesCompletely } from '#server/domain/roster/agreement.ts';
import { findClaimedEntries } from '#server/domain/roster/claimed-entries.ts';
import { rateLimitRules } from '#server/domain/rate-limit-rules.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { findAutomaticEvidence } from '#server/features/membership/automatic-evidence.ts';
import { findCandidates } from '#server/domain/roster/candidates.ts';
import { countFrequencies, readFrequencies } from '#server/domain/roster/frequencies.ts';
import { rankCandidates } from '#server/domain/roster/matching.ts';
import { writeEntries } from '#server/domain/roster/write-entries.ts';
import { type Random, createRandom } from '#server/seed/random.ts';
import { type BenchArchive, openBenchArchive } from './archive.ts';
import { agesAtAdmission, claimantKinds, createClaim, kindTitles } from './claims/claimants.ts';
import { claimingAccounts, decideClaims } from './claims/decide.ts';
import { type Enrolled, createEnrolment } from './claims/roster.ts';
import { writeMeasurements } from './measurements.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures matching with synthetic true claimants, and what attackers of five kinds reach with several accounts.
 *
 *   npm run bench -- claims [--entries 100000,500000] [--claims 20000]
 *
 * An attacker has k accounts and 90 days. One claim of each account counts: further ones never confirm.
 */

const { values: options } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000,500000' },
    claims: { type: 'string', default: '20000' },
  },
});

const entriesPerBatch = 50_000;

async function fillRoster(
  { database, institution }: BenchArchive,
  entries: number,
  count: number,
): Promise<{ targets: Enrolled[]; members: Enrolled[] }> {
  const start = performance.now();
  const { db, pool } = database;
  // Building the index at the end is faster than updating it row by row.
  await pool.query('drop index roster_entries_words');
  const enrol = createEnrolment(institution);
  const targets: Enrolled[] = [];
  const members: Enrolled[] = [];
  for (let first = 0; first < entries; first += entriesPerBatch) {
    const batch = Array.from({ length: Math.min(entriesPerBatch, entries - first) }, (_, at) =>
      addEmail(enrol(first + at), first + at),
    );
    for (const [at, enrolled] of batch.entries()) {
      if (Math.floor(((first + at + 1) * count) / entries) > targets.length) targets.push(enrolled);
      if (members.length < claimingAccounts) members.push(enrolled);
    }
    await writeEntries(
      db,
      batch.map(({ entry }) => entry),
    );
  }
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0; set maintenance_work_mem = 1000000');
    await client.query('create index roster_entries_words on roster_entries using gin (words) with (fastupdate = off)');
    await client.query('vacuum analyze roster_entries');
  } finally {
    client.release(true);
  }
  const filled = performance.now();
  await countFrequencies(db);
  console.log(
    `${entries} entries written in ${seconds(filled - start)}, frequencies counted in ${seconds(performance.now() - filled)}`,
  );
  return { targets, members };
}

/**
 * Adds the verified address of the account to every second entry of people with accounts, so that their claims confirm.
 */
const addEmail = (enrolled: Enrolled, number: number): Enrolled =>
  number < claimingAccounts && number % 2 === 0
    ? { ...enrolled, entry: { ...enrolled.entry, email: `person.${number}@alumni.example` } }
    : enrolled;

const seconds = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(1)} s`;

const percent = (part: number, whole: number) => `${((100 * part) / Math.max(whole, 1)).toFixed(2)} %`;

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const describeTimes = (values: readonly number[]) =>
  `p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;

type Row = readonly (string | number)[];

async function measure(archive: BenchArchive, targets: readonly Enrolled[]): Promise<Row[]> {
  const { db } = archive.database;
  const random = createRandom(18);
  const totals = { found: 0, best: 0, bestWithoutNumber: 0, withoutNumber: 0, candidates: 0 };
  let truth = 0;
  const candidateTimes: number[] = [];
  const claimTimes: number[] = [];
  for (const [at, target] of targets.entries()) {
    const kind = at % 5 < 3 ? 'true' : (claimantKinds[1 + ((Math.floor(at / 5) * 2 + (at % 5) - 3) % 4)] ?? 'true');
    const other = targets[random.integer(0, targets.length - 1)] ?? target;
    const claim = createClaim(kind, random, target, other);
    const start = performance.now();
    const entries = await findCandidates(db, claim);
    candidateTimes.push(performance.now() - start);
    const [best] = rankCandidates(claim, entries, await readFrequencies(db, claim));
    claimTimes.push(performance.now() - start);
    totals.candidates += entries.length;
    const targetKey = target.matricNumber.replaceAll('/', '');
    if (kind !== 'true') continue;
    truth++;
    if (entries.some(({ matricKey }) => matricKey === targetKey)) totals.found++;
    const isBest = best?.entry.matricKey === targetKey;
    if (isBest) totals.best++;
    if (claim.matricNumber === '') {
      totals.withoutNumber++;
      if (isBest) totals.bestWithoutNumber++;
    }
  }
  return [
    ['claims', targets.length],
    ['right entry among the candidates', percent(totals.found, truth)],
    ['right entry first', percent(totals.best, truth)],
    ['right entry first, matric number unknown', percent(totals.bestWithoutNumber, totals.withoutNumber)],
    ['candidates per claim', (totals.candidates / targets.length).toFixed(0)],
    ['statement of the candidates', describeTimes(candidateTimes)],
    ['candidates, frequencies and order', describeTimes(claimTimes)],
  ];
}

const accountCounts = [1, 5, 20];
const attackersPerKind = 100;
/** More than of the other kinds, because one takes a single statement. */
const mailboxOwners = 1_000;

/**
 * Counts how many attackers were confirmed as another person, and how many reached the front of the queue of staff, by
 * their number of accounts.
 */
async function measureAttackers({ database: { db } }: BenchArchive, targets: readonly Enrolled[]): Promise<Row[]> {
  const rows: Row[] = [];
  const random = createRandom(30);
  for (const kind of claimantKinds.filter((each) => each !== 'true'))
    for (const accounts of accountCounts) {
      const count = Math.min(attackersPerKind, targets.length);
      const reached = { confirmed: 0, agreeing: 0 };
      for (let attacker = 0; attacker < count; attacker++) {
        const target = random.pick(targets);
        const targetKey = toMatricKey(target.entry.matricNumber);
        const won = { confirmed: false, agreeing: false };
        for (let account = 0; account < accounts; account++) {
          const claim = createClaim(kind, random, target, random.pick(targets));
          const email = `attacker-${attacker}-${account}@mail.example`;
          const entries = await findClaimedEntries(db, {
            matricKey: toMatricKey(claim.matricNumber),
            email,
            birthDate: claim.dob || '0001-01-01',
          });
          const evidence = findAutomaticEvidence({ claim, email, isFirst: true, accepts: ['roster-email'] }, entries);
          won.confirmed ||= evidence !== null;
          won.agreeing ||= entries.some((entry) => entry.matricKey === targetKey && agreesCompletely(claim, entry));
        }
        if (won.confirmed) reached.confirmed++;
        if (won.agreeing) reached.agreeing++;
      }
      rows.push([kindTitles[kind], accounts, count, reached.confirmed, reached.agreeing]);
    }
  return rows;
}

/**
 * Counts how many attackers are confirmed who own the mailbox of the entry, know everything but the year of birth, and
 * try each year once: with claims, and with requests for a mailed code.
 */
async function measureMailboxOwners({ database: { db } }: BenchArchive, targets: readonly Enrolled[]): Promise<Row[]> {
  const rows: Row[] = [];
  const random = createRandom(31);
  const { firstClaimsByMailbox, mailedCodesByAccount, mailedCodesByMatricNumber } = rateLimitRules;
  for (const accounts of accountCounts) {
    const guesses =
      Math.min(accounts, firstClaimsByMailbox.maxHits) +
      Math.min(accounts * mailedCodesByAccount.maxHits, mailedCodesByMatricNumber.maxHits);
    let confirmed = 0;
    for (let attacker = 0; attacker < mailboxOwners; attacker++) {
      const target = random.pick(targets);
      const email = 'reused-mailbox@campus.example';
      const found = await findClaimedEntries(db, {
        matricKey: toMatricKey(target.entry.matricNumber),
        email: '',
        birthDate: '0001-01-01',
      });
      const entries = found.map((entry) => ({ ...entry, email }));
      const ages = shuffle(random, agesAtAdmission).slice(0, guesses);
      const claims = ages.map((age) => ({
        ...createClaim('member', random, target, target),
        dob: `${target.person.yearAdmitted - age}${target.person.dob.slice(4)}`,
      }));
      if (
        claims.some(
          (claim) =>
            findAutomaticEvidence({ claim, email, isFirst: true, accepts: ['roster-email'] }, entries) !== null,
        )
      )
        confirmed++;
    }
    rows.push([
      `owns the mailbox of the entry, knows all but the year of birth: ${guesses} guesses`,
      accounts,
      mailboxOwners,
      confirmed,
      '',
    ]);
  }
  return rows;
}

const shuffle = <T>(random: Random, values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ value }) => value);

for (const entries of options.entries.split(',').map(Number)) {
  const { folder, onCleanUp, cleanUp } = openWorkspace('claims');
  try {
    const archive = await openBenchArchive(folder, claimingAccounts, () => undefined);
    onCleanUp(() => archive.stop());
    const { targets, members } = await fillRoster(archive, entries, Number(options.claims));
    const rows = await measure(archive, targets);
    writeMeasurements(
      `attackers-${entries}`,
      ['attacker', 'accounts', 'attackers', 'confirmed', 'first in the queue of staff'],
      [...(await measureAttackers(archive, targets)), ...(await measureMailboxOwners(archive, targets))],
    );
    for (const [status, durations] of await decideClaims(archive, members, folder))
      rows.push([`${durations.length} claims over HTTP, ${status}`, describeTimes(durations)]);
    writeMeasurements(`claims-${entries}`, ['what', 'value'], rows);
  } finally {
    await cleanUp();
  }
}
