import { expect } from 'vitest';
import { type Random, createRandom } from '#server/seed/random.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { writeCampusSettings } from '#server/testing/campus.ts';
import type { TestDatabases } from '#server/testing/databases.ts';
import { ageQueued, deleteQueued } from '#server/testing/jobs.ts';
import { enterConfirmedMode } from '#server/testing/membership.ts';
import { toCsv } from '#server/testing/roster-imports.ts';
import { RuleBroken, actionNames, actions, peopleOf } from './actions.ts';
import { expectNoOtherEntry, expectRules } from './rules.ts';
import { type Person, type World, createWorlds, describe, hasSameName } from './worlds.ts';

/*
 * Property tests of confirmed membership over random sequences of what members, staff and imports do through the API:
 * (a) What others see of a confirmed account agrees with its confirmed identity.
 * (b) No one reads a value of an entry without strong evidence for it, or a decision of staff about it.
 * (c) Members alone cannot confirm an account as a person who did not take part, whatever they know.
 * (d) After a withdrawal, nothing of it counts toward a later confirmation.
 * (e) A university account confirms one account of its person, while it is connected.
 */

type Event = 'import' | 'undo' | 'minute' | 'week';

interface Batch {
  /** The seed of each action, by the number of the world. Null: no action in this round. */
  readonly sequences: ReadonlyMap<number, readonly (number | null)[]>;
  readonly events: readonly (readonly Event[])[];
}

interface Failure {
  readonly number: number;
  readonly log: readonly string[];
  readonly error: Error;
}

const rounds = 4;

/** Worlds that share an archive. With more, the queries for each action become slower. */
const worldsPerBatch = 250;

const seed = Number(process.env['MEMBERSHIP_SEED'] ?? 20_261_123);

/**
 * Plays the sequences of a batch, and checks after each round that the rules hold. The batch and the seed determine all
 * choices.
 * @throws Error with the steps of the first sequence that breaks a rule, without those that it does not need
 */
export async function playBatch(databases: TestDatabases, number: number): Promise<void> {
  const batch = planBatch(createRandom(seed + number * 1_000_003));
  const failure = await play(databases, batch);
  if (failure === null) return;
  const shortest = await shorten(databases, batch, failure);
  const title = `${shortest.error.message}. Batch ${number} of MEMBERSHIP_SEED=${seed}, sequence ${shortest.number}:`;
  throw new Error([title, ...shortest.log].join('\n  '), { cause: shortest.error });
}

function planBatch(random: Random): Batch {
  const planStep = () => random.integer(1, 2 ** 31);
  return {
    sequences: new Map(
      Array.from({ length: worldsPerBatch }, (_, at) => [at + 1, Array.from({ length: rounds }, planStep)]),
    ),
    events: Array.from({ length: rounds }, () => [
      ...(random.chance(0.35) ? ['import' as const] : []),
      ...(random.chance(0.15) ? ['undo' as const] : []),
      ...(random.chance(0.85) ? ['minute' as const] : []),
      ...(random.chance(0.25) ? ['week' as const] : []),
    ]),
  };
}

async function play(databases: TestDatabases, { sequences, events }: Batch): Promise<Failure | null> {
  const { environment, remove } = writeCampusSettings('https://login.oue.edu.ng');
  const archive = await openArchive(databases, environment);
  try {
    await enterConfirmedMode(archive);
    const worlds = await createWorlds(archive, [...sequences.keys()]);
    for (const [round, roundEvents] of events.entries()) {
      await removeLimits(archive);
      for (const world of worlds) {
        const step = sequences.get(world.number)?.[round] ?? null;
        if (step === null) continue;
        const error = await act(world, step);
        if (error !== null) return { number: world.number, log: world.log, error };
      }
      await runJobs(archive);
      for (const event of roundEvents) await happen(archive, worlds, event, round);
      // An undo may return what an import took away, so a look at the end is not enough.
      const isImported = roundEvents.includes('import') || roundEvents.includes('undo');
      const isLast = round === events.length - 1;
      const broken =
        (await expectRules(archive, worlds)) ?? (isImported || isLast ? await expectNoOtherEntry(worlds) : null);
      if (broken) return { number: broken.world.number, log: broken.world.log, error: broken.error };
    }
    return null;
  } finally {
    await archive.close();
    remove();
  }
}

async function act(world: World, stepSeed: number): Promise<Error | null> {
  const random = createRandom(stepSeed);
  for (let attempts = 0; attempts < 6; attempts++) {
    const name = random.pick(actionNames);
    try {
      const text = await actions[name]?.(world, random);
      if (typeof text !== 'string') continue;
      world.log.push(text);
      return null;
    } catch (error) {
      world.log.push(name);
      return error instanceof RuleBroken ? error : new Error(`${name} failed: ${String(error)}`, { cause: error });
    }
  }
  return null;
}

async function shorten(databases: TestDatabases, batch: Batch, failure: Failure): Promise<Failure> {
  let steps = batch.sequences.get(failure.number) ?? [];
  let { events } = batch;
  let shortest = (await play(databases, { sequences: new Map([[failure.number, steps]]), events })) ?? failure;
  for (let round = 0; round < rounds; round++) {
    const without = steps.with(round, null);
    const failed = await play(databases, { sequences: new Map([[failure.number, without]]), events });
    if (failed) [steps, shortest] = [without, failed];
    for (const event of events[round] ?? []) {
      const fewer = events.with(round, events[round]?.filter((one) => one !== event) ?? []);
      const stillFailed = await play(databases, { sequences: new Map([[failure.number, steps]]), events: fewer });
      if (stillFailed) [events, shortest] = [fewer, stillFailed];
    }
  }
  return shortest;
}

/** Limits on the number of attempts are tested elsewhere. Everyone has entered their password just now. */
const removeLimits = ({ pool }: TestArchive) =>
  pool.query(`delete from throttles; delete from long_throttles;
    update sessions set authenticated_at = now(), expires_at = now() + interval '30 days'`);

/** Mails and notices that no rule depends on. Sending them would take half of the time. */
const skippedJobs = [
  'membership:outcome-mail',
  'moderation:notice-mail',
  'notifications:department-news',
  'profile:withdraw-pictures',
  'staff:approval-mail',
  'staff:approval-outcome-mail',
  'identity:recover-email-mail',
  'identity:verification-mail',
  'identity:factor-changed-mail',
  'identity:account-deleted-mail',
  'search:recount',
];

async function runJobs(archive: TestArchive): Promise<void> {
  await deleteQueued(archive.context.db, skippedJobs);
  await archive.runJobs();
}

async function happen(archive: TestArchive, worlds: readonly World[], event: Event, round: number): Promise<void> {
  for (const { log } of worlds)
    log.push(
      {
        import: 'the registrar imports the list',
        undo: 'the registrar undoes the import',
        minute: 'a minute passes',
        week: 'eight days pass',
      }[event],
    );
  if (event === 'import')
    await importList(archive, worlds, ({ number }) => createRandom(seed + number * 1_000 + round));
  if (event === 'undo') await undoImport(worlds);
  if (event === 'minute') {
    await archive.pool.query(`update review_decisions set undo_until = undo_until - interval '1 minute'`);
    await ageQueued(archive.context.db, 60);
    await runJobs(archive);
  }
  if (event === 'week') {
    await archive.advanceTime('8 days');
    await removeLimits(archive);
    await runJobs(archive);
  }
  await settleDecisions(archive, worlds);
  await readRoster(archive, worlds, event);
}

async function importList(archive: TestArchive, worlds: readonly World[], random: (world: World) => Random) {
  const [first] = worlds;
  if (!first) return;
  const { upload, run, apply, approve } = first.staff;
  const rows = worlds.flatMap((world) => changeList(world, random(world)));
  const id = await upload(toCsv(...rows));
  const { warnings } = await run(id, 'check');
  const { state } = await apply(id, ...warnings.map(({ kind }) => kind));
  if (state !== 'applied') expect(await approve(id)).toMatchObject({ state: 'applied' });
  await runJobs(archive);
}

function changeList(world: World, random: Random): string[] {
  // Mostly the entry of the account that acts most.
  const [first] = world.entries;
  const changed = random.chance(0.6) ? random.pick([first, first, ...world.entries]) : null;
  const { firstName, lastName, dob } = random.pick(peopleOf(world));
  const change = random.pick<Partial<Person> | null>([
    { firstName, lastName },
    { firstName, lastName, dob },
    { dob },
    null,
  ]);
  return world.entries.flatMap((entry) => {
    if (entry === changed)
      world.log.push(
        `the next list has ${change === null ? 'nothing' : Object.values(change).join(' ')} for the entry of ${entry.owner.name}`,
      );
    if (entry === changed && change === null) return [];
    const row = { ...entry.person, ...(entry === changed && change) };
    return [[entry.matricNumber, row.lastName, row.firstName, row.dob, '', entry.email].join(',')];
  });
}

async function undoImport([world]: readonly World[]): Promise<void> {
  if (!world) return;
  const { imports } = await world.staff.registrar.device.call('GET /api/staff/roster/imports');
  const last = imports.find(({ state, undoRefusal }) => state === 'applied' && undoRefusal === null);
  if (last) expect(await world.staff.undo(String(last.id))).toMatchObject({ state: 'undone' });
}

async function settleDecisions({ pool }: TestArchive, worlds: readonly World[]): Promise<void> {
  const { rows } = await pool.query<{ id: string; outcome: string; isWaiting: boolean }>(
    `with waiting as (select item_id from review_decisions where failure is null)
     select id::text, outcome, id::text in (select item_id::text from waiting) as "isWaiting" from (
       select id, case when state = 'confirmed' and decided_by is distinct from 'staff' then 'automatic' else state end as outcome from claims
       union all select id, outcome from disputes union all select id, outcome from identity_changes
       union all select id, outcome from corrections) as items
     where id = any($1)`,
    [worlds.flatMap(({ pending }) => pending.map(({ itemId }) => itemId))],
  );
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const world of worlds)
    world.pending = world.pending.filter(({ itemId, settle }) => {
      const item = found.get(itemId);
      if (item?.isWaiting) return true;
      settle(item?.outcome);
      return false;
    });
}

/**
 * Notes what the roster says now. After an import has turned an entry into another person, only staff let its holder
 * read it: by a decision, or by undoing the import.
 */
async function readRoster({ pool }: TestArchive, worlds: readonly World[], event: Event): Promise<void> {
  const { rows } = await pool.query<Person & { id: string }>(
    `select id, first_name as "firstName", last_name as "lastName", department, year_graduated as "yearGraduated", birth_date as dob
     from roster_entries`,
  );
  const people = new Map(rows.map(({ id, ...person }) => [Number(id), person]));
  for (const world of worlds)
    for (const entry of world.entries) {
      const person = people.get(entry.id);
      if (!person) continue;
      const isMoved = !hasSameName(person, entry.person) || person.dob !== entry.person.dob;
      const isOther = isMoved || describe(person) !== describe(entry.person);
      const before = entry.person;
      entry.person = person;
      for (const { grounds, accepted } of [...world.claimants, ...world.vouchers])
        for (const ground of grounds.filter((one) => one.entry === entry && isOther)) {
          if (isMoved && event === 'import') {
            if (ground.canRead) ground.before = before;
            ground.canRead = false;
          } else if (event === 'undo' && ground.before && isSameRow(person, ground.before)) ground.canRead = true;
          // A correction is a decision of staff about the entry, and an undo restores only entries that were linked
          // before the import.
          else if (ground.canRead) accepted.push(person);
        }
    }
}

const isSameRow = (a: Person, b: Person): boolean => describe(a) === describe(b) && a.dob === b.dob;
