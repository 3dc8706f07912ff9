import { readFileSync } from 'node:fs';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import type { PasswordStatus } from '#contract/identity.ts';
import type { Config } from '#server/platform/config/config.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

const commonPasswords = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ')),
);

type Settings = Pick<Config, 'passwordMin'>;

/** Specification, section 5: "may be rejected as not meeting requirements"; D17 in docs/conformance.md. */
export const getPasswordPolicy = ({ passwordMin }: Settings) =>
  ({
    minPasswordLength: passwordMin,
    maxPasswordLength: fieldLengths.passwordMax,
    refusesCommonPasswords: true,
    refusesOwnEmail: true,
  }) as const;

/** @param email canonical; empty if none was entered */
export function checkPassword({ passwordMin }: Settings, password: string, email: string): PasswordStatus {
  const length = countCodePoints(password);
  const typed = password.normalize('NFKC').toLowerCase();
  const rules = {
    meetsMinPasswordLength: length >= passwordMin,
    meetsMaxPasswordLength: length <= fieldLengths.passwordMax,
    isNotCommon: !commonPasswords.has(typed),
    isNotOwnEmail: email === '' || (typed !== email && typed !== email.split('@')[0]),
  };
  return { isValid: Object.values(rules).every(Boolean), ...rules };
}

export function requireGoodPassword(config: Settings, password: string, email: string): void {
  if (!checkPassword(config, password, email).isValid)
    throw new ProblemError('auth/password-does-not-meet-requirements');
}
