import { describe, expect, test } from 'vitest';
import { base32, findTotpStep, newTotpSecret, otpauthUri, totpCode, totpStep } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('in the RFC test vectors', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('totpCode at %i seconds is %s', (seconds, code) => {
    expect(totpCode(secret, totpStep(seconds * 1000), 8)).toBe(code);
    expect(totpCode(secret, totpStep(seconds * 1000))).toBe(code.slice(2));
  });

  // RFC 4226, appendix D.
  test.each([
    ...['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489'].entries(),
  ])('totpCode for counter %i is %s', (count, code) => {
    expect(totpCode(secret, count)).toBe(code);
  });

  // RFC 4648, section 10.
  test.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('base32 encodes %j as %j', (text, encoded) => {
    expect(base32(Buffer.from(text))).toBe(encoded);
  });
});

test('findTotpStep accepts the code of the previous, the current and the next step', { tags: ['asvs-6.5.5'] }, () => {
  const now = 1000;
  expect([-2, -1, 0, 1, 2].map((off) => findTotpStep(secret, totpCode(secret, now + off), 0, now))).toEqual([
    null,
    999,
    1000,
    1001,
    null,
  ]);
});

test('findTotpStep refuses the last used code and older codes', () => {
  const now = 1000;
  expect(findTotpStep(secret, totpCode(secret, now), now, now)).toBeNull();
  expect(findTotpStep(secret, totpCode(secret, now - 1), now, now)).toBeNull();
  expect(findTotpStep(secret, totpCode(secret, now + 1), now, now)).toBe(now + 1);
});

test.each(['', '12345', '1234567', 'abcdef', '１２３４５６'])('findTotpStep returns null for %j', (typed) => {
  expect(findTotpStep(secret, typed, 0, 1000)).toBeNull();
});

test('otpauthUri encodes special characters in issuer and account', () => {
  const made = newTotpSecret();
  expect(made).toHaveLength(20);
  const uri = new URL(otpauthUri(made, 'Ünï & Co', 'ada+x@mail.example'));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toContain('Ünï & Co:ada+x@mail.example');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: base32(made),
    issuer: 'Ünï & Co',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});
