import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Claims, isMissingClaims, isSubject, readIdentity } from './claims.ts';

const settings = {
  issuer: 'https://login.oue.edu.ng',
  domains: ['oue.edu.ng', 'student.oue.edu.ng'],
  studentDomains: ['student.oue.edu.ng'],
  affiliationClaim: 'eduperson_scoped_affiliation',
};
const google = { ...settings, issuer: 'https://accounts.google.com' };

const read = (idToken: Claims, userInfo: Claims = {}, of = settings) =>
  readIdentity(of, { idToken: { sub: 'x', ...idToken }, userInfo });

describe('readIdentity', () => {
  test.each<[string, Claims, string | null]>([
    ['verified', { email: 'Ada@OUE.edu.ng', email_verified: true }, 'ada@oue.edu.ng'],
    ['verified, as text', { email: 'ada@oue.edu.ng', email_verified: 'true' }, 'ada@oue.edu.ng'],
    ['of an owned domain', { email: 'ada@oue.edu.ng', xms_edov: true }, 'ada@oue.edu.ng'],
    ['of an owned domain, as number', { email: 'ada@oue.edu.ng', xms_edov: 1 }, 'ada@oue.edu.ng'],
    ['of an owned domain, as text', { email: 'ada@oue.edu.ng', xms_edov: '1' }, 'ada@oue.edu.ng'],
    ['without a verification', { email: 'ada@oue.edu.ng' }, null],
    ['verified as false, of an owned domain', { email: 'ada@oue.edu.ng', email_verified: false, xms_edov: 1 }, null],
    ['verified as null, of an owned domain', { email: 'ada@oue.edu.ng', email_verified: null, xms_edov: 1 }, null],
    ['verified as 1', { email: 'ada@oue.edu.ng', email_verified: 1 }, null],
    ['of a subdomain', { email: 'ada@mail.oue.edu.ng', email_verified: true }, null],
    ['of a domain with the same end', { email: 'ada@evil-oue.edu.ng', email_verified: true }, null],
    ['with two at signs', { email: 'ada@evil.example@oue.edu.ng', email_verified: true }, null],
    ['in a list', { email: ['ada@oue.edu.ng'], email_verified: true }, null],
    ['with a line break', { email: 'ada@evil.example\n@oue.edu.ng', email_verified: true }, null],
    ['with a letter that looks the same', { email: 'ada@оue.edu.ng', email_verified: true }, null],
  ])('trusts only an address whose ownership is verified: %s', (_, claims, email) => {
    expect(read(claims).identity.email).toBe(email);
  });

  test('takes the address and its verification from one place', () => {
    const [owned, other] = [{ email: 'ada@oue.edu.ng' }, { email: 'eve@oue.edu.ng', email_verified: true }];
    expect(read(owned, other).identity.email).toBe('eve@oue.edu.ng');
    expect(read({ ...owned, email_verified: false }, other).identity.email).toBeNull();
    expect(read({ email_verified: true }, owned).identity.email).toBeNull();
  });

  test('requires a listed domain of the organization from Google', () => {
    const claims = { email: 'ada@oue.edu.ng', email_verified: true };
    expect(read(claims, {}, google)).toMatchObject({
      addressError: { failure: 'wrong-account', email: 'ada@oue.edu.ng' },
    });
    expect(read({ ...claims, hd: 'evil.example' }, {}, google).identity.email).toBeNull();
    expect(read({ ...claims, hd: 'oue.edu.ng' }, {}, google).identity.email).toBe('ada@oue.edu.ng');
  });

  test.each<[unknown, string | null]>([
    ['student@oue.edu.ng', 'student'],
    [['member@oue.edu.ng', 'Alum@OUE.edu.ng'], 'alum'],
    [['alum@oue.edu.ng', 'student@oue.edu.ng'], 'student'],
    ['student', null],
    ['student@evil.example', null],
    ['student@oue.edu.ng@evil.example', null],
    [['faculty@oue.edu.ng', 'member@oue.edu.ng', 'staff@oue.edu.ng'], null],
    [{ student: true }, null],
    [7, null],
    [undefined, null],
  ])('reads the affiliation %j as %s', (value, affiliation) => {
    expect(read({ eduperson_scoped_affiliation: value }).identity.affiliation).toBe(affiliation);
  });

  test('believes the domain of students only in a trusted address', () => {
    const email = 'ada@student.oue.edu.ng';
    expect(read({ email, email_verified: true }).identity.affiliation).toBe('student');
    expect(read({ email, email_verified: false }).identity.affiliation).toBeNull();
  });

  test('cleans the names and cuts them', () => {
    const { firstName, lastName } = read({ given_name: ' A\u0000da\u202E ', family_name: 'x'.repeat(500) }).identity;
    expect([firstName, lastName.length]).toEqual(['Ada', 80]);
    expect(read({ given_name: ['Ada'] }).identity.firstName).toBe('');
  });

  test('never throws, and trusts only listed domains', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('email', 'email_verified', 'hd', 'given_name', 'xms_edov'), fc.anything()),
        (random) => {
          const { email } = read(random, random).identity;
          expect(email === null || /^[^@]+@(?:student\.)?oue\.edu\.ng$/u.test(email)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('isSubject accepts 1 to 255 ASCII characters', () => {
  expect(['x', 'x'.repeat(255), 'a|b:c'].every(isSubject)).toBe(true);
  expect(['', 'x'.repeat(256), 7, null, 'é', 'a\u0000', 'a b'].some(isSubject)).toBe(false);
});

test('isMissingClaims asks for UserInfo only if a claim is missing', () => {
  const all = { email: 'x', given_name: 'x', family_name: 'x', eduperson_scoped_affiliation: [] };
  expect(isMissingClaims(settings, all)).toBe(false);
  for (const name of Object.keys(all))
    expect(isMissingClaims(settings, { ...all, [name]: undefined }), name).toBe(true);
});
