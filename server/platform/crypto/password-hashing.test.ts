import { expect, test } from 'vitest';
import { createPasswordHasher } from './password-hashing.ts';

const passwords = createPasswordHasher();

test(
  'a hash is argon2id at OWASP’s minimum, salted, in the PHC form',
  { tags: ['asvs-11.2.1', 'asvs-11.4.2'] },
  async () => {
    const [one, two] = [await passwords.hash('the same word'), await passwords.hash('the same word')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/u);
    expect(one).not.toBe(two);
    expect(await passwords.verify('the same word', one)).toBe(true);
    expect(await passwords.verify('The same word', one)).toBe(false);
  },
);

test('a hash that another argon2 has made is understood', { tags: ['asvs-11.2.2'] }, async () => {
  // The reference implementation's own test: argon2id, v=19, t=2, m=65536, p=1, "password", salt "somesalt".
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await passwords.verify('password', reference)).toBe(true);
  expect(await passwords.verify('passwore', reference)).toBe(false);
});

test('nobody signs in to an account without a password, or to none', async () => {
  expect(await passwords.verify('anything', '!')).toBe(false);
  expect(await passwords.verify('anything', null)).toBe(false);
});
