import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { queuePendingRebuild } from '#server/domain/search/search-rebuild.ts';
import { type Member, openArchive, type TestArchive } from '#server/testing/archive.ts';

/* "I have none": the text "-" in a required field. */

let archive: TestArchive;
let reader: Member;
let member: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  reader = await archive.createMember();
  member = await archive.createMember({
    firstName: 'Ebun',
    middleName: '-',
    lastName: 'Noneson',
    matricNumber: '-',
    otherNames: '-',
    bio: '-',
    xHandle: '-',
    facebookName: '-',
    linkedinName: '-',
  });
});
afterAll(() => archive.close());

const findCard = async (q: string) =>
  (await reader.device.call('GET /api/search', { query: { q } })).items.find(({ id }) => id === member.uid);

test('"-" is not in a profile, for its owner or for other people', async () => {
  for (const { device } of [member, reader]) {
    const profile = await device.call('GET /api/users/{id}', { params: { id: member.uid }, query: {} });
    expect(profile.name).toEqual({ first: 'Ebun', middle: '', last: 'Noneson' });
    expect(profile.social).toEqual({});
    expect(profile.bio).toBeUndefined();
    expect(profile.academic.matricNumber).toBeUndefined();
  }
});

test('"-" is not on a card, and finds no one', async () => {
  const card = await findCard('noneson');
  expect(card?.name).toBe('Ebun Noneson');
  expect(card).not.toHaveProperty('matricNumber');
  expect((await reader.device.call('GET /api/search', { query: { q: '-' } })).items).toEqual([]);
  expect((await findCard('ebun - noneson'))?.id).toBe(member.uid);
});

test('GET /api/users/{id}/document returns "-" to the owner, who can save it again', async () => {
  const params = { id: member.uid };
  const { profile, version } = await member.device.call('GET /api/users/{id}/document', { params });
  expect(profile.name.middle).toBe('-');
  expect(profile.social).toEqual({ x: '-', facebook: '-', linkedin: '-' });
  const body = { ...member.document, imgURL: profile.imgURL, version };
  const saved = await member.device.call('PUT /api/users/{id}', { params, body });
  expect(saved.name.middle).toBe('-');
});

test('a rebuild removes "-" from listings that an earlier version has written', async () => {
  const { pool, context } = archive;
  await pool.query(`update listings set name = 'Ebun - Noneson', matric_number = '-' where account_id = $1`, [
    member.uid,
  ]);
  await pool.query('insert into pending_search_rebuild default values');
  await queuePendingRebuild(context.db);
  await archive.runJobs();
  const card = await findCard('noneson');
  expect(card?.name).toBe('Ebun Noneson');
  expect(card).not.toHaveProperty('matricNumber');
});
