import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Institution } from '#contract/institution.ts';
import { ConfigError } from '../platform/config/config.ts';

/** Reads and validates `institution.json`. @throws ConfigError with one line per error */
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
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(
    ({ path, message }) => `  ${z.core.toDotPath(path) || 'the file'}: ${message}`,
  );
  throw new ConfigError(`INSTITUTION_FILE ${file} is not valid:\n${faults.join('\n')}`);
}
