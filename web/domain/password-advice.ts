import type { Call } from '#contract/call.ts';
import type { PasswordStatus } from '#contract/identity.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import { texts } from '#contract/texts.ts';
import { callApi } from '#web/platform/api.ts';

/**
 * Returns a sentence that names the rule of the password policy that a rejected password breaks (specification, section
 * 5).
 * @param email the address of the account, if known
 */
export async function getPasswordAdvice(password: string, email?: string, call: Call = callApi): Promise<string> {
  const status = await call('POST /api/identity/password-status', {
    body: { password, ...(email && { email }) },
  }).catch(() => null);
  return (status && adviceFor(status, await getMinPasswordLength(call))) ?? 'Choose another password';
}

let cachedMinLength: Promise<number> | undefined;

export function getMinPasswordLength(call: Call = callApi): Promise<number> {
  cachedMinLength ??= call('GET /api/identity/password-policy').then(
    (policy) => policy.minPasswordLength,
    () => {
      cachedMinLength = undefined;
      return fieldLengths.passwordMin;
    },
  );
  return cachedMinLength;
}

function adviceFor(status: PasswordStatus, min: number): string | null {
  if (!status.meetsMinPasswordLength) {
    return min === fieldLengths.passwordMin ? texts.passwordShort : `Password cannot be less than ${min} characters`;
  }
  if (!status.meetsMaxPasswordLength) return texts.passwordLong;
  if (!status.isNotCommon) return 'This is a common password. Choose a less common one';
  if (!status.isNotOwnEmail) return 'Choose a password that is not your email address';
  return null;
}
