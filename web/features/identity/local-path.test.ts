import { expect, test } from 'vitest';
import type { User } from '#contract/identity.ts';
import { pathAfterSignIn } from './local-path.ts';

const member = { emailVerified: true, displayName: 'Okafor Ada', isStaff: false } as User;
const newcomer = { ...member, displayName: null };
const unverified = { ...newcomer, emailVerified: false };
const staff = { ...newcomer, isStaff: true };

test.each<[string, string | null, string, User]>([
  ['a member', null, '/', member],
  ['a member', '/settings?section=security', '/settings?section=security', member],
  ['a member', 'https://elsewhere.example/', '/', member],
  ['an account without a profile', null, '/onboarding', newcomer],
  ['an account without a profile', '/settings', '/onboarding', newcomer],
  ['an account without a profile', '/staff/review', '/onboarding', newcomer],
  ['an account without a profile', '/account', '/account', newcomer],
  ['an account that has not verified its address', '/settings', '/send-verification-email', unverified],
  ['an account that has not verified its address', '/account', '/account', unverified],
  ['staff without a profile', null, '/staff', staff],
  ['staff without a profile', '/staff/review', '/staff/review', staff],
  ['staff without a profile', '/settings', '/onboarding', staff],
  ['staff without a profile', '/account', '/account', staff],
])('pathAfterSignIn leads %s from %s to %s', (_, from, path, user) => {
  expect(pathAfterSignIn(user, from)).toBe(path);
});
