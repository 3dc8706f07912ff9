import { expect, test } from 'vitest';
import { groupMembershipCode, hashMembershipCode, newMembershipCode } from './membership-codes.ts';

test('hashMembershipCode accepts a code as people type it', () => {
  const { code, hash } = newMembershipCode();
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/u);
  for (const typed of [
    code,
    code.toLowerCase(),
    groupMembershipCode(code),
    ` ${code.slice(0, 5)} – ${code.slice(5)}\n`,
  ])
    expect(hashMembershipCode(typed)).toEqual(hash);
  for (const typed of ['o123456789', '0l23456789', '0i23456789'])
    expect(hashMembershipCode(typed)).toEqual(hashMembershipCode('0123456789'));
});

test('hashMembershipCode returns null for other texts', () => {
  for (const typed of ['', '012345678', '01234567890', 'U123456789', '0123456789!', '-'])
    expect(hashMembershipCode(typed)).toBeNull();
});
