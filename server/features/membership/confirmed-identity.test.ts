import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { confirmAccount } from '../../domain/confirmations.ts';
import { type TestArchive, openArchive } from '../../testing/archive.ts';
import { addEntryOf, enterConfirmedMode, printCode } from '../../testing/membership.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

const identitiesOf = async (uid: string) => {
  const { rows } = await archive.pool.query<Record<string, unknown>>(
    `select i.first_name as "firstName", i.last_name as "lastName", i.department, i.year_graduated as "yearGraduated",
       i.matric_number as "matricNumber", i.entry_id::int as "entryId", i.seen, e.kind, i.ended_at is not null as "isEnded"
     from confirmed_identities i left join evidence e on e.id = i.evidence_id where i.account_id = $1 order by i.confirmed_at`,
    [uid],
  );
  return rows;
};

test('a confirmation records who it is about, with the entry and the evidence, until it is withdrawn', async () => {
  const ada = await archive.createMember();
  const entryId = await addEntryOf(archive, ada);
  await ada.device.call('POST /api/membership/codes', { body: { code: await printCode(archive, entryId) } });
  const { name, academic } = ada.document;
  const identity = {
    firstName: name.first,
    lastName: name.last,
    department: academic.department,
    yearGraduated: academic.year.graduated,
    matricNumber: academic.matricNumber,
    entryId,
    seen: [],
    kind: 'printed-code',
  };
  expect(await identitiesOf(ada.uid)).toEqual([{ ...identity, isEnded: false }]);
  await ada.device.call('DELETE /api/membership/evidence');
  expect(await identitiesOf(ada.uid)).toEqual([{ ...identity, isEnded: true }]);
});

test('a confirmation by vouches records what the vouchers saw', async () => {
  const ben = await archive.createMember();
  const seen = [{ firstName: 'Ben', lastName: 'Okafor', department: 'Law', yearGraduated: 2010 }];
  await archive.context.db
    .transaction()
    .execute((tx) =>
      confirmAccount(tx, archive.context, { accountId: ben.uid, entryId: null, kind: 'peer-vouch', seen }),
    );
  expect(await identitiesOf(ben.uid)).toMatchObject([{ entryId: null, seen, kind: 'peer-vouch', isEnded: false }]);
});
