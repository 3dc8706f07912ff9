import { readFileSync } from 'node:fs';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import type { PasswordStatus } from '#contract/identity.ts';
import type { Config } from '../../../platform/config/config.ts';
import { ProblemError } from '../../../platform/http/problem.ts';

const commonPasswords = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# ')),
);

/** As far as the policy is a setting. */
type Settings = Pick<Config, 'passwordMin'>;

/** The rules beyond the form's: specification, section 5 ("may be rejected as not meeting requirements"), decision 17. */
export const getPasswordPolicy = ({ passwordMin }: Settings) =>
  ({
    minPasswordLength: passwordMin,
    maxPasswordLength: fieldLengths.passwordMax,
    refusesCommonPasswords: true,
    refusesOwnEmail: true,
  }) as const;

/** Which rules a password meets. @param email canonical; empty while none has been typed */
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

/** @throws ProblemError auth/password-does-not-meet-requirements; the client then asks for the status */
export function requireGoodPassword(config: Settings, password: string, email: string): void {
  if (!checkPassword(config, password, email).isValid)
    throw new ProblemError('auth/password-does-not-meet-requirements');
}
