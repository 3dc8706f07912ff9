import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Institution } from '#contract/institution.ts';
import { ConfigError } from '#server/platform/config/config-error.ts';

const privacyTexts = ['controller', 'controllerAddress', 'contact', 'supervisoryAuthority', 'legalBasis'] as const;

export const findMissingPrivacyTexts = ({ privacy }: Institution): string[] =>
  privacyTexts.filter((name) => privacy[name] === undefined).map((name) => `privacy.${name}`);

/**
 * Removes the placeholders that earlier versions of `institution.json` have instead of the texts of the privacy policy.
 */
function removePlaceholders({ privacy, ...institution }: Institution): Institution {
  const isPlaceholder = (value: unknown) => [value].flat().some((text) => String(text).startsWith('PLACEHOLDER'));
  const kept = Object.entries(privacy).filter(([, value]) => !isPlaceholder(value));
  return { ...institution, privacy: { backupDays: privacy.backupDays, ...Object.fromEntries(kept) } };
}

export function readInstitution(file: string): Institution {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`INSTITUTION_FILE ${file} cannot be read as JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const parsed = Institution.safeParse(content);
  if (parsed.success) return removePlaceholders(parsed.data);
  const faults = parsed.error.issues.map(
    ({ path, message }) => `  ${z.core.toDotPath(path) || 'the file'}: ${message}`,
  );
  throw new ConfigError(`INSTITUTION_FILE ${file} is not valid:\n${faults.join('\n')}`);
}
