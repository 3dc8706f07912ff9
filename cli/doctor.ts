import { type OpenArchive, openArchive } from '#server/open-archive.ts';
import { type Config, readConfig } from '#server/platform/config.ts';
import { readInstitution } from '#server/platform/institution.ts';
import type { Command } from './command.ts';
import { type Check, type Finding, type Subject, fail } from './doctor/check.ts';
import { compareMigrations } from './doctor/database.ts';
import { allChecks } from './doctor/checks.ts';

/** A finding, and what it is about. */
interface Told extends Finding {
  readonly about: string;
}

/** `doctor` */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Looks at everything that can be wrong, and says what to do.',
  options: {
    thorough: {
      type: 'boolean',
      summary: 'look at every picture and count everybody: takes minutes in a large archive',
    },
    online: { type: 'boolean', summary: 'ask for the public address too, as visitors do' },
    json: { type: 'boolean', summary: 'for programs' },
  },
  help: [
    'Each line is ok, warn (worth a look) or FAIL (in the way of somebody). The exit code is 1 when there is a FAIL. Nothing is changed.',
    'Call it with the same settings and as the same user as the product: what it says is about those. Only the mail server is asked over the network, and nothing is sent.',
  ],
  run: async ({ flags }, { environment, say }) => {
    const told = await examine(environment, allChecks, {
      isThorough: flags.has('thorough'),
      isOnline: flags.has('online'),
    });
    const failures = told.filter(({ level }) => level === 'FAIL').length;
    if (flags.has('json')) say(JSON.stringify({ healthy: failures === 0, findings: told }, null, 2));
    else {
      const width = Math.max(...told.map(({ about }) => about.length));
      for (const { level, about, says } of told) say(`${level.padEnd(4)}  ${about.padEnd(width)}  ${says}`);
      const warnings = told.filter(({ level }) => level === 'warn').length;
      say('');
      say(summaryOf(failures, warnings));
    }
    return failures > 0 ? 1 : 0;
  },
};

function summaryOf(failures: number, warnings: number): string {
  const looks = warnings === 0 ? '' : ` ${warnings === 1 ? 'One thing is' : `${warnings} things are`} worth a look.`;
  if (failures === 0) return `Nothing is in the way.${looks}`;
  return `${failures === 1 ? 'One thing has' : `${failures} things have`} to be put right.${looks}`;
}

/** Runs checks one after another; whatever one of them throws is what it has found. */
export async function examine(
  environment: NodeJS.ProcessEnv,
  checks: readonly Check[],
  { isThorough = false, isOnline = false } = {},
): Promise<Told[]> {
  let asked: Config;
  try {
    asked = readConfig(environment);
  } catch (error) {
    // Without settings there is nothing that they could be about.
    return (error as Error).message.split('\n').map((says) => ({ about: 'settings', ...fail(says) }));
  }
  const { archive, databaseFault, migrations } = await open(environment, asked);
  const subject: Subject = { config: archive?.config ?? asked, archive, databaseFault, migrations, isThorough };
  const isUpToDate = migrations.missing.length === 0;
  const wanted = checks.filter(
    ({ only, needs }) =>
      (only === undefined || (only === 'thorough' ? isThorough : isOnline)) &&
      (needs === undefined || (archive !== null && (needs === 'database' || isUpToDate))),
  );
  try {
    const told: Told[] = [];
    for (const check of wanted) {
      const found = await check.run(subject).catch((error: Error) => fail(error.message));
      for (const finding of [found].flat()) told.push({ about: check.about, ...finding });
    }
    return told;
  } finally {
    await archive?.close();
  }
}

/** The archive as it is, not brought up to date; or why there is none. */
async function open(
  environment: NodeJS.ProcessEnv,
  { institutionFile }: Config,
): Promise<Pick<Subject, 'archive' | 'databaseFault' | 'migrations'>> {
  const migrations = { missing: [], foreign: [] };
  let archive: OpenArchive | null = null;
  try {
    readInstitution(institutionFile);
  } catch {
    // Its own check says what is wrong with it.
    return { archive, databaseFault: 'It was not looked at: put the institution file right first.', migrations };
  }
  try {
    archive = await openArchive(environment, { anyFolder: true, halfRestored: true, migrates: false });
    return { archive, databaseFault: null, migrations: await compareMigrations(archive.pool) };
  } catch (error) {
    await archive?.close().catch(() => undefined);
    return { archive: null, databaseFault: faultOf(error as Error), migrations };
  }
}

/** Several addresses of one host fail together, and then the error of all has no words of its own. */
function faultOf(error: Error): string {
  const { code, errors: [first] = [] } = error as { code?: string; errors?: Error[] };
  const words = error.message || first?.message || code || 'no reason was given';
  return code === undefined
    ? words
    : `It does not answer (${words}). Check DATABASE_URL, and whether PostgreSQL runs there.`;
}
