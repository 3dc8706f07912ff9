import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createMailer } from '#server/platform/mail/mailer.ts';
import { countMails } from '#server/platform/mail/mail-metrics.ts';
import { measureArchive, measureProcess } from '#server/startup/register-metrics.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { addEntry, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createTestWeb } from '#server/testing/pages.ts';

/* Codes with which people become members must not get into the server's log or its metrics, over a real connection. */

let archive: TestArchive;
let origin: string;
let ada: Member;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
  await enterConfirmedMode(archive);
  ada = await archive.createMember();
  measureProcess(archive.context.metrics, { database: archive.pool });
  measureArchive(archive.context);
  countMails(createMailer(archive.context.config), archive.context.metrics);
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
  origin = `http://127.0.0.1:${(archive.app.server.address() as AddressInfo).port}`;
});
afterAll(() => archive.close());

const cookie = () => [...ada.device.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

async function request(path: string, init: RequestInit = {}): Promise<number> {
  const headers = { cookie: cookie(), origin: 'http://localhost:3000', ...(init.headers as Record<string, string>) };
  const response = await fetch(`${origin}${path}`, { redirect: 'manual', ...init, headers });
  await response.text();
  return response.status;
}

const postForm = (path: string, fields: Record<string, string>) =>
  request(path, { method: 'POST', body: new URLSearchParams(fields) });
const sendJson = (method: string, path: string, body: object) =>
  request(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

async function expectHidden(code: string, requests: number): Promise<string[]> {
  await expect.poll(() => archive.logged.filter((line) => line.includes('"request"')).length).toBe(requests);
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  expect(metrics).toContain('archive_');
  for (const text of [...archive.logged, metrics]) expect(text.toUpperCase()).not.toContain(code.toUpperCase());
  return archive.logged.splice(0).flatMap((line) => /"path":"([^"]*)"/u.exec(line)?.[1] ?? []);
}

test('no printed code is in the log or the metrics, however its link is typed', async () => {
  archive.logged.length = 0;
  const code = await printCode(archive, await addEntry(archive));
  const paths = [`/join/${code}`, `/join/${code}/`, `/join/${code}?from=qr`, `/JOIN/${code}`, `//join/${code}`];
  for (const path of [...paths, `/join/%20${code}`, `/join/${code}%`]) await request(path);
  expect(await postForm('/join', { intent: 'open', code })).toBe(303);
  await postForm(`/join/${code}`, { intent: 'use', code: 'wrong' });
  expect(await sendJson('POST', '/api/membership/codes', { code: `${code}X` })).toBe(422);
  expect(await sendJson('POST', '/api/membership/codes', { code })).toBe(200);
  const logged = await expectHidden(code, 11);
  expect(logged).toEqual(expect.arrayContaining(['/join/:code', '/join', '/api/membership/codes']));
});

test('no code of a vouch link is in the log or the metrics', async () => {
  await confirmMember(archive, ada);
  archive.logged.length = 0;
  // Shorter than the tokens that the log removes from all lines.
  const code = 'Kq3-vouchLinkCode';
  await request(`/vouch/${code}`);
  await request(`/Vouch/${code}/`);
  await postForm(`/vouch/${code}`, { intent: 'yes', version: 'any' });
  await request(`/api/membership/vouch-links/${code}`);
  await request(`/api/membership/vouch-links/${code}/`);
  await sendJson('PUT', `/api/membership/vouch-links/${code}`, { answer: 'yes', version: 'any' });
  const paths = await expectHidden(code, 6);
  expect(new Set(paths)).toEqual(new Set(['/vouch/:code', '/Vouch/:code', '/api/membership/vouch-links/:code']));
});

test('no code of a notice is in the log or the metrics', async () => {
  archive.logged.length = 0;
  const code = 'Kq3-noticeCode';
  await request(`/not-you?code=${code}`);
  await postForm(`/not-you?code=${code}`, { text: 'This is not me.' });
  await sendJson('POST', '/api/membership/disputes', { code });
  expect(new Set(await expectHidden(code, 3))).toEqual(new Set(['/not-you', '/api/membership/disputes']));
});
