import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { entryNoticeMailJob } from '#server/domain/membership/membership-notices.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { addEntry, addEntryOf, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createTestWeb, pagePaths } from '#server/testing/pages.ts';

/*
 * No value of a roster entry may reach anyone but staff and the person linked to it. The tests plant unusual words in
 * entries, provoke every kind of answer to a claim, and search all responses, pages, mails and log lines for the words.
 */

const planted = {
  last_name: 'Zyxquolt',
  first_name: 'Vrembly',
  other_names: 'Quintharp',
  department: 'Phlogiston Studies',
  college: 'Collegium Xanthippe',
  program: 'Program Quobble',
  phone: '+234 805 999 1177',
  email: 'zyx@quolt.example',
  birth_date: '1931-07-09',
  matric_number: 'VREM/31/0001',
};
const { email: mailbox, matric_number: _, birth_date: __, ...texts } = planted;
const words = Object.values(planted);

let archive: TestArchive;
let claimant: Member;
let holder: Member;
let member: Member;

beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
  await enterConfirmedMode(archive);
  [claimant, holder, member] = [
    await archive.createMember(),
    await archive.createMember(),
    await archive.createMember(),
  ];
  await confirmMember(archive, member);
});
afterAll(() => archive.close());

test('no response, page, mail or log line contains a value of a roster entry', async () => {
  const held = await addEntry(archive, planted);
  const { academic, dob } = claimant.document;
  await addEntryOf(archive, claimant, { ...texts, email: mailbox });
  const answers: LightMyRequestResponse[] = [];
  const claim = async ({ device }: Member, body: { matricNumber: string; dob: string }) => {
    answers.push(await device.ask('POST /api/membership/claims', { body }));
    answers.push(await device.ask('POST /api/membership/mailed-codes', { body }));
  };
  const useCode = async ({ device }: Member, code: string) =>
    void answers.push(await device.ask('POST /api/membership/codes', { body: { code } }));

  await linkEntry(archive.context.db, held, holder.uid);
  await confirmMember(archive, holder);
  await entryNoticeMailJob.queue(archive.context.db, { accountId: holder.uid, entryId: held });
  // The names differ.
  await claim(claimant, { matricNumber: academic.matricNumber, dob });
  // Another account holds the entry.
  await useCode(claimant, await printCode(archive, held));
  await useCode(claimant, '0123456789');
  await archive.runJobs();

  for (const device of [archive.openDevice(), claimant.device, holder.device, member.device])
    answers.push(...(await readEverything(device)));
  expect(answers.filter(({ statusCode }) => statusCode === 200).length).toBeGreaterThan(100);
  // What the mailbox of the entry receives has its address in the header only.
  const mails = archive.inbox.all().flatMap(({ subject, text, html }) => [subject, text, html]);
  expect(archive.inbox.to(mailbox).length).toBeGreaterThan(1);
  for (const text of [...answers.map(({ body }) => body), ...mails, ...archive.logged])
    for (const word of words) if (text.includes(word)) expect(text).not.toContain(word);
});

async function readEverything(device: Device): Promise<LightMyRequestResponse[]> {
  const [last, department] = [planted.last_name, encodeURIComponent(planted.department)];
  const calls = Object.keys(endpoints)
    .filter((name) => name.startsWith('GET ') && !name.includes('{') && !name.endsWith('/stream'))
    .map((name) => name.slice('GET '.length));
  const pages = pagePaths
    .filter((path) => !path.includes('*'))
    .map((path) => path.replace(':id', holder.uid).replace(':year', '2011').replaceAll(/:\w+/gu, 'unknown'));
  const paths = [
    ...calls,
    ...pages,
    `/api/users?limit=50`,
    ...[claimant, holder, member].map(({ uid }) => `/api/users/${uid}`),
  ];
  const responses = [];
  for (const path of paths) responses.push(await device.fetch('GET', path));
  // These responses repeat the words of the request.
  for (const path of [`/api/search?q=${last}`, `/api/users?department=${department}`]) {
    const { statusCode, body } = await device.fetch('GET', path);
    if (statusCode === 200) for (const { uid } of [claimant, holder]) expect(body).not.toContain(uid);
  }
  return responses;
}
