import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Institution } from '#contract/institution.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { findCampus, hasDomain, hashIdentity } from './campus-arrival.ts';

const usual = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
const withCampus = Institution.parse({ ...usual, campusSignOn: { domains: ['oue.edu.ng'] } });
const provider = readConfig({
  CAMPUS_ISSUER: 'https://login.oue.edu.ng',
  CAMPUS_CLIENT_ID: 'archive',
  CAMPUS_CLIENT_SECRET: 'secret',
});

test('findCampus needs both halves of the settings, or none', () => {
  const without = Institution.parse(usual);
  expect(findCampus({ config: readConfig({}), institution: without })).toBeNull();
  expect(findCampus({ config: provider, institution: withCampus })).toMatchObject({
    issuer: 'https://login.oue.edu.ng',
    domains: ['oue.edu.ng'],
    studentDomains: [],
  });
  for (const half of [
    { config: provider, institution: without },
    { config: readConfig({}), institution: withCampus },
  ])
    expect(() => findCampus(half)).toThrow('Campus sign-on needs "campusSignOn" in the institution file together with');
});

test('the institution refuses domains of students that are not listed, and addresses instead of domains', () => {
  const read = (campusSignOn: object) => Institution.safeParse({ ...usual, campusSignOn }).success;
  expect(read({ domains: ['oue.edu.ng'], studentDomains: ['student.oue.edu.ng'] })).toBe(false);
  for (const domain of ['@oue.edu.ng', 'OUE.edu.ng', 'edu', '*.oue.edu.ng', 'https://oue.edu.ng'])
    expect(read({ domains: [domain] }), domain).toBe(false);
  expect(read({ domains: [] })).toBe(false);
});

test('hasDomain compares whole domains', () => {
  expect(hasDomain('ada@oue.edu.ng', ['oue.edu.ng'])).toBe(true);
  for (const email of ['ada@mail.oue.edu.ng', 'ada@evil-oue.edu.ng', 'ada@oue.edu.ng.evil.example', 'oue.edu.ng@x'])
    expect(hasDomain(email, ['oue.edu.ng']), email).toBe(false);
});

test('hashIdentity separates the issuer from the subject', () => {
  expect(hashIdentity({ issuer: 'https://a', subject: 'b/c' })).not.toEqual(
    hashIdentity({ issuer: 'https://a/b', subject: 'c' }),
  );
});
