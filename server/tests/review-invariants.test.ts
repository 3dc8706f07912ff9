import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type ReviewDecision, type ReviewItem, outcomesOf } from '#contract/staff/review.ts';
import { type Random, createRandom } from '#server/seed/random.ts';
import type { Reviewable } from '#server/domain/staff/review.ts';
import { allReviewables } from '#server/app/staff.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { makeStaff } from '#server/testing/staff.ts';

/*
 * Every decision of staff has exactly one record in the audit log, and no record has a name, an address, a matric
 * number or a typed text. Holds for random sequences of decisions, undos, changes and failures.
 */

const steps = 140;

let archive: TestArchive;
let staff: Member[];
let reporter: Member;
const forbidden = new Set<string>(['passport', 'we found no such student', 'office note']);
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
  reporter = await createPerson();
  await confirmMember(archive, reporter);
  staff = [await createPerson(), await createPerson()];
  for (const member of staff) await makeStaff(archive, member, 'owner');
});
afterAll(() => archive.close());

async function createPerson(): Promise<Member> {
  const member = await archive.createMember();
  const { name, academic } = member.document;
  for (const text of [...Object.values(name), member.email, academic.matricNumber])
    if (text !== undefined && text.length > 2) forbidden.add(text.toLowerCase());
  return member;
}

interface Claimants {
  readonly people: Member[];
  readonly entries: number[];
}

const submit = ({ device, document }: Member, note: string) =>
  device.ask('POST /api/membership/claims', {
    body: { matricNumber: document.academic.matricNumber, dob: document.dob, note },
  });

async function addItems(claimants: Claimants): Promise<void> {
  const people = [await createPerson(), await createPerson(), await createPerson(), await createPerson()] as const;
  const [first, second, holder, claimant] = people;
  claimants.people.push(...people);
  for (const member of [first, second]) {
    claimants.entries.push(await addEntryOf(archive, member, { birth_date: '1950-01-01' }));
    await submit(member, 'Office note');
  }
  const contested = await addEntryOf(archive, holder);
  claimants.entries.push(contested);
  for (const { device } of [holder, claimant])
    await device.ask('POST /api/membership/codes', { body: { code: await printCode(archive, contested) } });
  await reporter.device.call('POST /api/reports/{kind}/{id}', {
    params: { kind: 'profile', id: holder.uid },
    body: { reason: 'offensive', text: 'Office note' },
  });
}

function pickDecision(random: Random, { kind }: ReviewItem, entries: readonly number[]): ReviewDecision {
  const outcome = random.pick(outcomesOf[kind]);
  const isImpostor = random.chance(0.2);
  if (outcome === 'confirm')
    return { outcome, entryId: random.chance(0.3) ? null : random.pick(entries), seen: 'Passport' };
  if (outcome === 'reject') return { outcome, reason: 'We found no such student', isImpostor };
  if (outcome === 'keep' || outcome === 'transfer') return { outcome, isImpostor };
  return { outcome, text: 'We found no such student' };
}

test('each decision that is carried out has one record, without personal data', async () => {
  const random = createRandom(19);
  const claimants: Claimants = { people: [], entries: [] };
  const carriedOut: string[] = [];
  const spies = Object.values<Reviewable>(allReviewables).map((reviewable) => {
    const decide = reviewable.decide.bind(reviewable);
    return vi.spyOn(reviewable, 'decide').mockImplementation(async (context, tx, item) => {
      const refusal = await decide(context, tx, item);
      if (refusal === null) carriedOut.push(`${item.id} ${item.decidedBy}`);
      return refusal;
    });
  });
  const waiting = new Map<string, string>();
  let undone = 0;
  let failed = 0;
  const readRecords = async () =>
    (
      await archive.pool.query<{ action: string; text: string }>(
        `select action, r::text as text from audit_records r order by id`,
      )
    ).rows;

  const decideOne = async (member: Member) => {
    const { items } = await member.device.call('GET /api/staff/queue', { query: {} });
    const open = items.filter(({ decision }) => decision === null);
    if (open.length === 0) return addItems(claimants);
    const item = random.pick(open);
    if (random.chance(0.2))
      await member.device.call('PUT /api/staff/queue/{kind}/{id}/lease', { params: item, body: { takeOver: true } });
    const response = await member.device.ask('POST /api/staff/queue/{kind}/{id}/decision', {
      params: { kind: item.kind, id: item.id },
      body: { decision: pickDecision(random, item, claimants.entries), version: item.version },
    });
    if (response.statusCode === 200) waiting.set(response.json<{ id: string }>().id, `${item.id} ${member.uid}`);
  };
  const undoOne = async (member: Member) => {
    const own = [...waiting].filter(([, decision]) => decision.endsWith(member.uid));
    if (own.length === 0) return;
    const [id] = random.pick(own);
    const { statusCode } = await member.device.ask('DELETE /api/staff/decisions/{id}', { params: { id } });
    if (statusCode === 204 && waiting.delete(id)) undone++;
  };
  const changeOne = async () => {
    if (claimants.people.length === 0) return;
    const person = random.pick(claimants.people.slice(-8));
    if (random.chance(0.2)) await person.device.ask('DELETE /api/membership/claims');
    else await submit(person, `Office note ${random.integer(1, 1_000)}`);
  };
  const passTime = async () => {
    const before = carriedOut.length;
    await archive.advanceTime('31 seconds');
    await archive.runJobs();
    // Nothing is carried out that was undone, or twice.
    const due = [...waiting.values()];
    for (const decision of carriedOut.slice(before)) {
      expect(due).toContain(decision);
      due.splice(due.indexOf(decision), 1);
    }
    failed += due.length;
    waiting.clear();
  };

  await addItems(claimants);
  for (let step = 0; step < steps; step++) {
    const member = random.pick(staff);
    const at = random.next();
    if (at < 0.48) await decideOne(member);
    else if (at < 0.6) await undoOne(member);
    else if (at < 0.78) await changeOne();
    else if (at < 0.84) await addItems(claimants);
    else await passTime();
  }
  await passTime();
  for (const spy of spies) spy.mockRestore();

  const records = await readRecords();
  expect(records).toHaveLength(carriedOut.length);
  for (const [at, decision] of carriedOut.entries())
    for (const id of decision.split(' ')) expect(records[at]?.text).toContain(id);
  for (const count of [carriedOut.length, undone, failed]) expect(count).toBeGreaterThan(3);
  expect(new Set(records.map(({ action }) => action)).size).toBeGreaterThan(3);
  for (const { text } of records)
    for (const word of forbidden) if (text.toLowerCase().includes(word)) expect(text).not.toContain(word);
});
