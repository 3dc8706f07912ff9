import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { type Config, readConfig } from '#server/platform/config/config.ts';
import { findCampus } from '#server/domain/campus-arrival.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import type { Command } from '../support/command.ts';
import { accountChecks } from '../doctor/accounts.ts';
import { auditChecks } from '../doctor/audit-log.ts';
import { campusChecks } from '../doctor/campus.ts';
import { type Check, type Finding, type Subject, fail } from '../doctor/check.ts';
import { clockChecks } from '../doctor/clock.ts';
import { configurationChecks } from '../doctor/configuration.ts';
import { dataFolderChecks } from '../doctor/data-folder.ts';
import { compareMigrations, databaseChecks } from '../doctor/database.ts';
import { jobChecks } from '../doctor/jobs.ts';
import { runningChecks } from '../doctor/running.ts';

export const allChecks: readonly Check[] = [
  ...configurationChecks,
  ...databaseChecks,
  ...clockChecks,
  ...dataFolderChecks,
  ...jobChecks,
  ...accountChecks,
  ...auditChecks,
  ...runningChecks,
  ...campusChecks,
];

interface CheckResult extends Finding {
  readonly check: string;
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the installation, and say what to do about each problem.',
  options: { json: { type: 'boolean', summary: 'print the result as JSON' } },
  description: [
    'Each line starts with OK, WARN (should be looked at) or FAIL (affects users). The exit code is 1 if any check fails. Nothing is changed.',
    'Run it with the same environment variables and as the same user as the server, because it checks these settings. It connects to the mail server, but sends no email.',
  ],
  examples: ['', '--json'],
  run: async ({ flags }, { environment, print }) => {
    const results = await runChecks(environment);
    const count = (level: Finding['level']) => results.filter((result) => result.level === level).length;
    const [failures, warnings] = [count('FAIL'), count('WARN')];
    if (flags.has('json')) print(JSON.stringify({ healthy: failures === 0, findings: results }, null, 2));
    else {
      const width = Math.max(...results.map(({ check }) => check.length));
      for (const { level, check, message } of results) print(`${level.padEnd(4)}  ${check.padEnd(width)}  ${message}`);
      print(`\n${failures} failed, ${warnings} warnings.`);
    }
    return failures > 0 ? 1 : 0;
  },
};

async function runChecks(environment: NodeJS.ProcessEnv): Promise<CheckResult[]> {
  let config: Config;
  try {
    config = readConfig(environment);
    findCampus({ config, institution: readInstitution(config.institutionFile) });
  } catch (error) {
    // Every check depends on valid settings.
    return (error as Error).message.split('\n').map((message) => ({ check: 'settings', ...fail(message) }));
  }
  const results: CheckResult[] = [];
  let archive: OpenArchive | null = null;
  let migrations: Subject['migrations'] = { missing: [], problem: null };
  try {
    archive = await openArchive(environment, { allowsForeignFolder: true, shouldMigrate: false });
    migrations = await compareMigrations(archive);
  } catch (error) {
    results.push({ check: 'database', ...fail(describeDatabaseError(error as Error)) });
    await archive?.close();
    archive = null;
  }
  try {
    for (const check of allChecks) {
      if (check.needs && !archive) continue;
      if (check.needs === 'tables' && migrations.missing.length > 0) continue;
      const found = await check
        .run({ config: archive?.config ?? config, archive, migrations })
        .catch((error: Error) => fail(error.message));
      for (const finding of [found].flat()) results.push({ check: check.name, ...finding });
    }
    return results;
  } finally {
    await archive?.close();
  }
}

/** Returns why the database cannot be opened. Node's error for a host with several addresses has an empty message. */
function describeDatabaseError(error: Error): string {
  const { code, errors: [first] = [] } = error as { code?: string; errors?: Error[] };
  const message = error.message || first?.message || code || 'unknown error';
  return code === undefined
    ? message
    : `Cannot connect to the database (${message}). Check DATABASE_URL, and that PostgreSQL is running.`;
}
