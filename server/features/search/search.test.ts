import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type Member, openArchive, type TestArchive } from '../../testing/archive.ts';
import type { Device } from '../../testing/device.ts';

let archive: TestArchive;
let seeker: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  seeker = await archive.join({ firstName: 'Seeker', middleName: 'Of', lastName: 'People' });
});
afterAll(() => archive.close());

const find = async (device: Device, q: string) =>
  (await device.call('GET /api/search', { query: { q } })).items.map(({ id }) => id);

test('finds people by the beginnings of their names, in any order, whatever the case and the marks', async () => {
  const { uid } = await archive.join({ firstName: 'Ọládélé', middleName: 'Chidi', lastName: "O'Connor-Ṣóyínká" });
  for (const q of ['Ọládélé', 'oladele', 'OLAD', 'soyinka olad', 'oconnor', "o'con", 'chi  soy', 'o’connor ṣóyí']) {
    expect(await find(seeker.device, q), q).toContain(uid);
  }
  for (const q of ['oladele musa', 'delé', 'x']) expect(await find(seeker.device, q), q).not.toContain(uid);
});

test('puts whole names before beginnings, and both before departments', async () => {
  const department = await archive.join({
    firstName: 'Zed',
    middleName: 'Zed',
    lastName: 'Zz',
    department: 'Mathis Studies',
  });
  const beginning = await archive.join({ firstName: 'Mathison', middleName: 'Zed', lastName: 'Aa' });
  const whole = await archive.join({ firstName: 'Mathis', middleName: 'Zed', lastName: 'Zz' });
  expect(await find(seeker.device, 'mathis')).toEqual([whole.uid, beginning.uid, department.uid]);
});

test('nobody is found by what the seeker may not see', async () => {
  const hidden = await archive.join(
    { department: 'Hidden Quarters', matricNumber: 'HIDDENMAT123456' },
    { visibility: { department: 'members', matricNumber: 'me' } },
  );
  const unlisted = await archive.join({ lastName: 'Unlistedson' }, { visibility: { name: 'members' } });
  const shown = await archive.join({ matricNumber: 'SHOWNMAT1234567' });
  const guest = archive.device();
  expect(await find(guest, 'hidden quarters')).toEqual([]);
  expect(await find(seeker.device, 'hidden quarters')).toEqual([hidden.uid]);
  expect(await find(seeker.device, 'hiddenmat')).toEqual([]);
  expect(await find(guest, 'shownmat')).toEqual([]);
  // The whole number, though a card shows eleven characters of it.
  expect(await find(seeker.device, 'shownmat1234567')).toEqual([shown.uid]);
  expect(await find(guest, 'unlistedson')).toEqual([]);
  expect(await find(seeker.device, 'unlistedson')).toEqual([unlisted.uid]);
});

test('a change of the profile changes what finds it', async () => {
  const member = await archive.join({ lastName: 'Maidenname' });
  const { imgURL } = await member.device.call('GET /api/users/{id}', { params: { id: member.uid }, query: {} });
  const body = { ...member.document, imgURL, name: { ...member.document.name, last: 'Marriedname' } };
  await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
  expect(await find(seeker.device, 'maidenname')).toEqual([]);
  expect(await find(seeker.device, 'marriedname')).toEqual([member.uid]);
});

test.each(["'; drop table listings; --", 'a & b | !c', '(', ':*', '\\', '%', '👩‍🎓', "''''"])(
  '%j is words like any other',
  async (q) => {
    expect(Array.isArray(await find(seeker.device, q))).toBe(true);
  },
);

test.each(['', 'q=', `q=${'x'.repeat(161)}`])('the question %j is refused', async (query) => {
  expect((await seeker.device.fetch('GET', `/api/search?${query}`)).json()).toMatchObject({
    status: 400,
    code: 'malformed-request',
  });
});
