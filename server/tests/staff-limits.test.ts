import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Problem } from '#contract/problem.ts';
import { type RateLimitName, rateLimitRules } from '#server/domain/rate-limit-rules.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createStaff } from '#server/testing/staff.ts';
import { callStaffEndpoint, outcomeOf } from '#server/testing/staff-callers.ts';
import { type StaffEndpointName, staffEndpointNames, unknownTarget } from '#server/testing/staff-inputs.ts';

/*
 * Actions of staff that send mails or add rows are limited, so that one account cannot fill the database or the
 * mailboxes of others.
 */

let archive: TestArchive;
let owner: Member;
let second: Member;
let registrar: Member;
let ben: Member;
let claim: string;
let report: string;
let decidedReport: string;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  Object.assign(archive.context.institution, { allowsInvitations: true, tracerReport: true });
  [owner, second, registrar, ben] = [
    await createStaff(archive, 'owner'),
    await createStaff(archive, 'owner'),
    await createStaff(archive, 'registrar'),
    await archive.createMember(),
  ];
  const { rows } = await archive.pool.query<{ id: string }>(
    `insert into reports (kind, subject_id, reporter_id, reason, text) values ('profile', $1, $2, 'other', 'Text') returning id`,
    [ben.uid, registrar.uid],
  );
  report = rows[0]?.id ?? '';
  const { rows: claims } = await archive.pool.query<{ id: string }>(
    'insert into claims (account_id, typed) values ($1, $2) returning id',
    [ben.uid, JSON.stringify({ note: '' })],
  );
  claim = claims[0]?.id ?? '';
  const { rows: decided } = await archive.pool.query<{ id: string }>(
    `insert into reports (kind, subject_id, reporter_id, reason, text, closed_at, outcome)
     values ('profile', $1, $2, 'other', 'Text', now(), 'nothing') returning id`,
    [ben.uid, second.uid],
  );
  decidedReport = decided[0]?.id ?? '';
});
afterAll(() => archive.close());
beforeEach(() => archive.pool.query('delete from throttles; delete from long_throttles'));

async function exhaust(name: RateLimitName, ...subject: readonly string[]): Promise<void> {
  for (let hit = 0; hit < rateLimitRules[name].maxHits; hit++)
    await archive.context.limiter.countAttempt(archive.context.db, name, ...subject);
}

const countRows = async (table: string): Promise<number> =>
  (await archive.pool.query<{ count: number }>(`select count(*)::int as count from ${table}`)).rows[0]?.count ?? 0;

/** Writes of staff without a limit: bounded by pending items, requests or drafts, with at most one mail for each. */
const boundedWrites: ReadonlySet<StaffEndpointName> = new Set<StaffEndpointName>([
  'PUT /api/staff/queue/{kind}/{id}/lease',
  'DELETE /api/staff/queue/{kind}/{id}/lease',
  'POST /api/staff/queue/{kind}/{id}/decision',
  'POST /api/staff/queue/claims/confirm',
  'POST /api/staff/claims/{id}/document',
  'DELETE /api/staff/decisions/{id}',
  'POST /api/staff/roster/imports/{id}/apply',
  'POST /api/staff/roster/imports/{id}/undo',
  'POST /api/staff/roster/imports/{id}/cancel',
  'PUT /api/staff/announcements/{id}',
  'DELETE /api/staff/announcements/{id}',
  'POST /api/staff/announcements/{id}/send',
  'POST /api/staff/announcements/{id}/stop',
  'POST /api/staff/approvals/{id}/approve',
  'POST /api/staff/approvals/{id}/refuse',
  'POST /api/staff/approvals/{id}/cancel',
]);

test.each(staffEndpointNames.filter((name) => !name.startsWith('GET ') && !boundedWrites.has(name)))(
  '%s is refused after too many actions of the same account, with the time to wait',
  async (name) => {
    const { rows } = await archive.pool.query<{ id: string }>('select id from staff_roles where account_id = $1', [
      registrar.uid,
    ]);
    for (const limit of ['staffActionsByAccount', 'reviewNotesByAccount', 'rosterUploadsByAccount'] as const)
      await exhaust(limit, owner.uid);
    const responses = await callStaffEndpoint(owner.device, name, {
      ...unknownTarget,
      person: ben.uid,
      claim,
      report: name.endsWith('/restore') ? decidedReport : report,
      role: rows[0]?.id ?? '',
    });
    const refused = responses
      .map((response) => response.json<Problem>())
      .filter(({ retryAfter = 0 }) => retryAfter > 0);
    // Inputs about things that do not exist are refused before.
    const outcomes = new Set(responses.map(outcomeOf));
    outcomes.delete('not-found');
    expect([...outcomes]).toEqual(['staff/too-many-requests']);
    expect(refused.length).toBeGreaterThan(0);
  },
);

test('actions on one person are limited more narrowly, and other members of staff can still act', async () => {
  await exhaust('staffActionsByPair', owner.uid, ben.uid);
  const suspend = ({ device }: Member, id: string) =>
    device.ask('PUT /api/staff/people/{id}/suspension', { params: { id }, body: { days: 7 } });
  expect(outcomeOf(await suspend(owner, ben.uid))).toBe('staff/too-many-requests');
  await archive.runJobs();
  expect(archive.inbox.to(ben.email)).toEqual([]);
  expect(outcomeOf(await suspend(second, ben.uid))).toBe('204');
});

test('notes are limited, and a refused one is not stored', async () => {
  const note = { params: { kind: 'report', id: report }, body: { text: 'Called back.' } } as const;
  await owner.device.call('POST /api/staff/queue/{kind}/{id}/notes', note);
  const before = await countRows('review_notes');
  await exhaust('reviewNotesByAccount', owner.uid);
  const refused = await owner.device.ask('POST /api/staff/queue/{kind}/{id}/notes', note);
  expect([outcomeOf(refused), await countRows('review_notes')]).toEqual(['staff/too-many-requests', before]);
});

test('requests for an approval are limited, and a refused one mails no one', async () => {
  const request = () =>
    owner.device.ask('POST /api/staff/roles', {
      body: {
        email: registrar.email,
        role: 'owner',
        college: null,
        department: null,
        yearFrom: null,
        yearTo: null,
        lastDay: null,
      },
    });
  expect((await request()).json()).toEqual({ result: 'requested' });
  await archive.runJobs();
  await archive.inbox.next(second.email, 'A request needs your approval');
  await exhaust('approvalRequestsByAccount', owner.uid);
  expect(outcomeOf(await request())).toBe('staff/too-many-requests');
  await archive.runJobs();
  expect(archive.inbox.to(second.email)).toEqual([]);
  expect(await countRows('approvals')).toBe(1);
});
