import { type OpenArchive, openArchive } from '#server/startup/open-archive.ts';
import { type Config, readConfig } from '#server/platform/config/config.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import type { Command } from '../support/command.ts';
import { accountChecks } from '../doctor/accounts.ts';
import { type Check, type Finding, type Subject, fail } from '../doctor/check.ts';
import { clockChecks } from '../doctor/clock.ts';
import { configurationChecks } from '../doctor/configuration.ts';
import { dataFolderChecks } from '../doctor/data-folder.ts';
import { compareMigrations, databaseChecks } from '../doctor/database.ts';
import { jobChecks } from '../doctor/jobs.ts';
import { runningChecks } from '../doctor/running.ts';

/** All checks, in the order of the output. */
export const allChecks: readonly Check[] = [
  ...configurationChecks,
  ...databaseChecks,
  ...clockChecks,
  ...dataFolderChecks,
  ...jobChecks,
  ...accountChecks,
  ...runningChecks,
];

/** A finding with its subject. */
interface Result extends Finding {
  readonly about: string;
}

/** `doctor` */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Looks at everything that can be wrong, and says what to do.',
  options: { json: { type: 'boolean', summary: 'for programs' } },
  help: [
    'Each line is ok, warn (worth a look) or FAIL (affects users). The exit code is 1 when there is a FAIL. Nothing is changed.',
    'Call it with the same settings and as the same user as the product: what it says is about those. Only the mail server is asked over the network, and nothing is sent.',
  ],
  run: async ({ flags }, { environment, say }) => {
    const results = await examine(environment);
    const count = (level: Finding['level']) => results.filter((result) => result.level === level).length;
    const [failures, warnings] = [count('FAIL'), count('warn')];
    if (flags.has('json')) say(JSON.stringify({ healthy: failures === 0, findings: results }, null, 2));
    else {
      const width = Math.max(...results.map(({ about }) => about.length));
      for (const { level, about, says } of results) say(`${level.padEnd(4)}  ${about.padEnd(width)}  ${says}`);
      say(`\n${failures} failures, ${warnings} warnings.`);
    }
    return failures > 0 ? 1 : 0;
  },
};

/** Runs all checks one after another. An error that a check throws is its finding. */
async function examine(environment: NodeJS.ProcessEnv): Promise<Result[]> {
  let config: Config;
  try {
    config = readConfig(environment);
    readInstitution(config.institutionFile);
  } catch (error) {
    // All checks depend on the settings.
    return (error as Error).message.split('\n').map((says) => ({ about: 'settings', ...fail(says) }));
  }
  const results: Result[] = [];
  let archive: OpenArchive | null = null;
  let migrations: Subject['migrations'] = { missing: [], foreign: [] };
  try {
    archive = await openArchive(environment, { anyFolder: true, migrates: false });
    migrations = await compareMigrations(archive.pool);
  } catch (error) {
    results.push({ about: 'database', ...fail(messageOf(error as Error)) });
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
      for (const finding of [found].flat()) results.push({ about: check.about, ...finding });
    }
    return results;
  } finally {
    await archive?.close();
  }
}

/** Returns why the database cannot be opened. Node reports one error for all addresses of a host, without a message. */
function messageOf(error: Error): string {
  const { code, errors: [first] = [] } = error as { code?: string; errors?: Error[] };
  const message = error.message || first?.message || code || 'no reason was given';
  return code === undefined
    ? message
    : `It does not answer (${message}). Check DATABASE_URL, and whether PostgreSQL runs there.`;
}
