import type pg from 'pg';
import { urlOf } from '#server/db/url.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import type { Tools } from '../support/command.ts';
import { main } from '../main.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command as if an operator had typed `npm run archive -- ARGS`. */
export async function runCommand(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<CommandResult> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const tools: Tools = {
    environment,
    // Returns a value, like `write` of a terminal. A command must not pass it on as its exit code.
    print: (line) => stdout.push(line),
    printStatus: (line) => void stderr.push(line),
    progress: () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  const code = await main(args, environment, tools);
  return { code, stdout: stdout.join('\n'), stderr: stderr.join('\n') };
}

export function createSettings({ pool, context }: TestArchive): NodeJS.ProcessEnv {
  const { dataDir, mail } = context.config;
  return {
    DATABASE_URL: urlOf(pool.options),
    DATA_DIR: dataDir,
    MAIL_FROM: mail.from,
    ...(mail.smtpUrl !== null && { SMTP_URL: mail.smtpUrl }),
  };
}

/**
 * Makes the database reject new accounts with an address, until `drop trigger refuse on accounts`.
 * @param sqlState SQLSTATE of the error, e.g. `23505`
 */
export async function rejectAccount(
  database: Pick<pg.Client | pg.Pool, 'query'>,
  email: string,
  sqlState: string,
): Promise<void> {
  await database.query(`
    create or replace function refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'Refused for a test' using errcode = '${sqlState}';
    end
    $$;
    create trigger refuse before insert on accounts for each row when (new.email = '${email}') execute function refuse()`);
}
