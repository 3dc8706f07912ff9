import { describe, expect, test } from 'vitest';
import { createPasswordHasher } from './password-hashing.ts';

const passwords = createPasswordHasher();

describe('createPasswordHasher', () => {
  test(
    'creates salted argon2id hashes in the PHC format with OWASP’s minimum parameters',
    { tags: ['asvs-11.2.1', 'asvs-11.4.2'] },
    async () => {
      const [one, two] = [await passwords.hash('the same word'), await passwords.hash('the same word')];
      expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/u);
      expect(one).not.toBe(two);
      expect(await passwords.verify('the same word', one)).toBe(true);
      expect(await passwords.verify('The same word', one)).toBe(false);
    },
  );

  test('verifies a hash of the reference implementation', { tags: ['asvs-11.2.2'] }, async () => {
    // From the tests of the reference implementation: argon2id, v=19, t=2, m=65536, p=1, "password", salt "somesalt".
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await passwords.verify('password', reference)).toBe(true);
    expect(await passwords.verify('passwore', reference)).toBe(false);
  });

  test('returns false for an account without a password and for a missing account', async () => {
    expect(await passwords.verify('anything', '!')).toBe(false);
    expect(await passwords.verify('anything', null)).toBe(false);
  });
});
