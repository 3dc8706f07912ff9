import type { Institution } from '#contract/institution.ts';
import type { Db } from '#server/db/client.ts';
import { adoptMembershipMode } from '#server/domain/membership/membership-mode.ts';
import { ConfigError } from '#server/platform/config/config-error.ts';

/**
 * Requires that `institution.json` and the database name the same mode. A new archive takes the mode of the file.
 * @throws ConfigError with the command that switches the mode
 */
export async function requireMembershipMode(
  db: Db,
  institution: Pick<Institution, 'membership'>,
  institutionFile: string,
): Promise<void> {
  const mode = await adoptMembershipMode(db, institution);
  if (mode !== institution.membership) throw new ConfigError(describeModeMismatch(institution, institutionFile));
}

export const describeModeMismatch = (
  { membership }: Pick<Institution, 'membership'>,
  institutionFile: string,
): string =>
  membership === 'confirmed'
    ? `${institutionFile} says "membership": "confirmed", but this archive does not require confirmation yet. See what the switch changes with: npm run archive -- membership require-confirmation --dry-run, then switch without --dry-run. To keep the archive open, remove "membership" from the file.`
    : `${institutionFile} says "membership": "open", but this archive requires confirmation. To keep the requirement, set "membership": "confirmed" in the file. To remove it, run: npm run archive -- membership open`;
