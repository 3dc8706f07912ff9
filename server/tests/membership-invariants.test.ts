import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  ImportRefused,
  applyImport,
  checkRows,
  detectFile,
  lockImports,
  requireUndoable,
  undoImport,
} from '#server/domain/roster/import/import-steps.ts';
import type { Db } from '#server/db/client.ts';
import { insertImport, saveChecked, saveDetected } from '#server/domain/roster/import/roster-imports.ts';
import { confirmClaim, rejectClaim, resolveDispute } from '#server/features/membership/staff-decisions.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import { withdrawConfirmation } from '#server/domain/membership/withdraw-confirmation.ts';
import { type Random, createRandom } from '#server/seed/random.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';

/*
 * Claims, codes, vouches, withdrawals, decisions by staff, and imports of the roster with their undo, in random order
 * and at the same time. The rules of confirmed membership hold during each round and after it.
 */

let archive: TestArchive;
let vouchers: Member[];
let claimants: Member[];
let list: string;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  const createMembers = async (count: number): Promise<Member[]> => {
    const study = { department: 'Physics', yearAdmitted: 2010, yearGraduated: 2015 };
    const members = [];
    for (let at = 0; at < count; at++) members.push(await archive.createMember(study, { dob: `1992-05-${11 + at}` }));
    return members;
  };
  [vouchers, claimants] = [await createMembers(6), await createMembers(8)];
  list = join(newFolder('archive-invariants-'), 'list.csv');
  const rows = claimants.map(({ document: { academic, name, dob }, email }, at) =>
    [academic.matricNumber, name.last, name.first, dob, at % 2 === 0 ? email : `roster-${email}`].join(','),
  );
  writeFileSync(list, ['Matric No,Surname,First Name,Date of Birth,Email', ...rows, ''].join('\n'));
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

async function startOver(): Promise<void> {
  const { pool, context } = archive;
  for (const table of ['claims', 'evidence', 'vouches', 'disputes', 'membership_codes', 'roster_links'])
    await pool.query(`delete from ${table}`);
  for (const table of ['roster_changes', 'roster_entries', 'roster_imports']) await pool.query(`delete from ${table}`);
  await pool.query('update accounts set vouching_suspended_until = null');
  for (const { uid } of [...vouchers, ...claimants])
    await context.db.transaction().execute((tx) => setMembershipStatus(tx, uid, 'unconfirmed'));
  for (const voucher of vouchers) await confirmMember(archive, voucher, { age: '8 days' });
}

async function send(request: Promise<{ statusCode: number; body: string }>): Promise<void> {
  const { statusCode, body } = await request;
  if (statusCode >= 500 && statusCode !== 503) throw new Error(body);
}

const expectedErrors = new Set([
  'Nothing was changed: the other account is confirmed as another entry.',
  'The roster entry does not exist.',
  '40P01',
  '23503',
]);

async function decide(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    const { code = '', message } = error as Error & { code?: string };
    if (!(error instanceof ImportRefused || expectedErrors.has(code) || expectedErrors.has(message))) throw error;
  });
}

const inTransaction = <Result>(work: (tx: Db) => Promise<Result>): Promise<Result> =>
  archive.context.db.transaction().execute(work);

const findIds = async (query: string): Promise<string[]> =>
  (await archive.pool.query<{ id: string }>(query)).rows.map(({ id }) => id);

const findEntries = async (): Promise<number[]> =>
  (await archive.pool.query<{ id: number }>('select id from roster_entries order by id')).rows.map(({ id }) => id);

async function actOnOne<Id>(random: Random, ids: readonly Id[], act: (id: Id) => Promise<unknown>): Promise<void> {
  if (ids.length > 0) await act(random.pick(ids));
}

const openClaims = `select id from claims where state = 'waiting' order by id`;
const openDisputes = 'select id from disputes where closed_at is null order by id';

const importList = () =>
  archive.context.inBulkTransaction(async (tx, client) => {
    await lockImports(tx);
    const id = await insertImport(tx, {
      fileName: 'list.csv',
      digest: Buffer.from('digest'),
      options: {},
      accountId: null,
    });
    const file = await detectFile(tx, list, {}, archive.context.institution);
    await saveDetected(tx, id, file);
    const onProgress = () => Promise.resolve();
    await saveChecked(tx, id, await checkRows(tx, client, { importId: id, path: list, file, options: {}, onProgress }));
    await applyImport(tx, id, null, onProgress);
  });

const undoLast = () =>
  archive.context.inBulkTransaction(async (tx) => {
    await lockImports(tx);
    await undoImport(tx, (await requireUndoable(tx)).id, null);
  });

const actions: Record<string, (random: Random) => Promise<unknown>> = {
  claim: (random) => {
    const { device, document } = random.pick(claimants);
    const { matricNumber } = random.chance(0.8) ? document.academic : random.pick(claimants).document.academic;
    const dob = random.chance(0.8) ? document.dob : '1992-06-01';
    return send(device.ask('POST /api/membership/claims', { body: { matricNumber, dob } }));
  },
  withdrawClaim: (random) => send(random.pick(claimants).device.ask('DELETE /api/membership/claims')),
  withdrawEvidence: (random) =>
    send(random.pick([...claimants, ...vouchers.slice(5)]).device.ask('DELETE /api/membership/evidence')),
  code: async (random) =>
    actOnOne(random, await findEntries(), async (entryId) =>
      decide(
        printCode(archive, entryId).then(async (code) => {
          const users = [random.pick(claimants), random.pick(claimants)];
          await Promise.all(
            users.map(({ device }) => send(device.ask('POST /api/membership/codes', { body: { code } }))),
          );
        }),
      ),
    ),
  vouch: async (random) => {
    const [claimant, voucher] = [random.pick(claimants), random.pick([...vouchers, ...claimants])];
    const link = await claimant.device.ask('POST /api/membership/vouch-link');
    if (link.statusCode !== 200) return;
    const params = { code: link.json<{ url: string }>().url.split('/').at(-1) ?? '' };
    const shown = await voucher.device.ask('GET /api/membership/vouch-links/{code}', { params });
    if (shown.statusCode !== 200) return;
    const body = {
      answer: random.chance(0.9) ? ('yes' as const) : ('no' as const),
      version: shown.json<{ version: string }>().version,
    };
    await send(voucher.device.ask('PUT /api/membership/vouch-links/{code}', { params, body }));
  },
  confirm: async (random) =>
    actOnOne(random, await findIds(openClaims), async (claimId) => {
      const entries = await findEntries();
      const entryId = entries.length === 0 || random.chance(0.3) ? null : random.pick(entries);
      await decide(
        inTransaction((tx) =>
          confirmClaim(archive.context, tx, claimId, { entryId, seen: 'Passport', decidedBy: null }),
        ),
      );
    }),
  reject: async (random) =>
    actOnOne(random, await findIds(openClaims), (claimId) =>
      decide(
        inTransaction((tx) =>
          rejectClaim(tx, claimId, { reason: 'Not found.', isImpostor: random.chance(0.2), decidedBy: null }),
        ),
      ),
    ),
  resolve: async (random) =>
    actOnOne(random, await findIds(openDisputes), (disputeId) =>
      decide(
        inTransaction((tx) =>
          resolveDispute(archive.context, tx, disputeId, {
            outcome: random.pick(['keep', 'transfer']),
            isImpostor: random.chance(0.2),
            decidedBy: null,
          }),
        ),
      ),
    ),
  withdrawConfirmation: (random) =>
    decide(
      inTransaction((tx) =>
        withdrawConfirmation(tx, random.pick(claimants).uid, {
          reason: 'Not found.',
          isImpostor: random.chance(0.2),
          decidedBy: null,
        }),
      ),
    ),
  import: () => decide(importList()),
  undo: () => decide(undoLast()),
  jobs: () => archive.runJobs(),
};

const contradictions = `
  select 'an unconfirmed account is listed' as rule, a.id from listings l join accounts a on a.id = l.account_id
    where a.membership_status <> 'confirmed'
  union all
  select 'a confirmed account is not listed', a.id from accounts a
    where a.membership_status = 'confirmed' and not exists (select from listings l where l.account_id = a.id)
  union all
  select 'a confirmed account has no evidence', a.id from accounts a
    where a.membership_status = 'confirmed' and not exists (select from evidence e
      where e.account_id = a.id and e.withdrawn_at is null and (e.entry_id is null
        or exists (select from roster_links k where k.entry_id = e.entry_id and k.account_id = e.account_id)))
  union all
  select 'an account holds an entry without being confirmed or in a dispute', a.id from accounts a
    join roster_links k on k.account_id = a.id where a.membership_status not in ('confirmed', 'disputed')
  union all
  select 'two confirmed accounts share an entry', min(a.id::text)::uuid from accounts a
    join roster_links k on k.account_id = a.id where a.membership_status = 'confirmed'
    group by k.entry_id having count(*) > 1
  union all
  select 'an account has two open claims', account_id from claims where state = 'waiting'
    group by account_id having count(*) > 1`;

const names =
  'claim claim vouch vouch vouch withdrawClaim withdrawEvidence code confirm reject resolve withdrawConfirmation import import undo jobs'.split(
    ' ',
  );

const expectConsistent = async () => {
  const { rows } = await archive.pool.query<{ rule: string; id: string }>(contradictions);
  expect(rows).toEqual([]);
};

const findLongConfirmed = () =>
  findIds(`
    select a.id from accounts a where a.membership_status = 'confirmed' and a.confirmed_at < now() - interval '7 days'
      and exists (select from evidence e where e.account_id = a.id and e.kind <> 'peer-vouch' and e.withdrawn_at is null
        and e.created_at < now() - interval '7 days')`);

const findVouches = () =>
  findIds(`select concat_ws(' ', voucher_id, claimant_id, created_at) as id from vouches where answer = 'yes'`);

async function expectListed(): Promise<void> {
  archive.context.listCache.clear();
  const confirmed = await findIds(`select id from accounts where membership_status = 'confirmed' order by id`);
  for (const device of [archive.openDevice(), vouchers[0]?.device ?? archive.openDevice()]) {
    const { items } = await device.call('GET /api/users', { query: {} });
    expect(items.map(({ id }) => id).toSorted()).toEqual(confirmed);
  }
}

test.each([1, 2])('confirmations stay consistent in 8 rounds of parallel actions (seed %i)', async (seed) => {
  const random = createRandom(seed);
  await startOver();
  for (let round = 0; round < 8; round++) {
    // The limits are tested elsewhere. People who were confirmed in earlier rounds may be old enough to vouch.
    await archive.pool.query('delete from throttles; delete from long_throttles');
    await archive.pool.query(`update accounts set confirmed_at = confirmed_at - interval '8 days'`);
    await archive.pool.query(`update evidence set created_at = created_at - interval '8 days'`);
    const [mayVouch, before] = [new Set(await findLongConfirmed()), new Set(await findVouches())];
    const chosen = Array.from({ length: 8 }, () => random.pick(names));
    const seeds = chosen.map(() => random.integer(1, 1_000_000));
    await Promise.all([
      ...chosen.map(async (name, at) => {
        try {
          await actions[name]?.(createRandom(seeds[at] ?? 0));
        } catch (error) {
          throw new Error(`${name} failed in round ${round} of seed ${seed}`, { cause: error });
        }
        await expectConsistent();
      }),
      expectConsistent(),
    ]);
    await archive.runJobs();
    await expectConsistent();
    await expectListed();
    for (const vouch of await findVouches())
      if (!before.has(vouch)) expect(mayVouch, `round ${round}: ${chosen.join(', ')}`).toContain(vouch.split(' ')[0]);
  }
});
