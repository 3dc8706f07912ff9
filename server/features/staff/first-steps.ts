import { sql } from 'kysely';
import type { FirstStep } from '#contract/staff/scope.ts';
import type { Context } from '#server/domain/context.ts';
import { findMissingPrivacyTexts } from '#server/domain/read-institution.ts';
import { readLastBackup } from '#server/platform/storage/last-backup.ts';

export async function findFirstSteps({
  db,
  config,
  institution,
}: Context): Promise<{ step: FirstStep; isDone: boolean }[]> {
  const { rows } = await sql<Record<'roster' | 'codes' | 'owners', boolean>>`
    select exists (select from roster_entries) as roster,
      exists (select from audit_records where action = 'codes-printed') as codes,
      (select count(*) from staff_roles where role = 'owner') > 1 as owners`.execute(db);
  const { roster = false, codes = false, owners = false } = rows[0] ?? {};
  const steps: Record<FirstStep, boolean> = {
    institution: findMissingPrivacyTexts(institution).length === 0,
    roster,
    codes,
    owners,
    backup: (await readLastBackup(config.dataDir)) !== null,
  };
  return (Object.keys(steps) as FirstStep[])
    .filter((step) => institution.membership === 'confirmed' || !['roster', 'codes'].includes(step))
    .map((step) => ({ step, isDone: steps[step] }));
}
