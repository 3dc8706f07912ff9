import type pg from 'pg';
import { urlOf } from '#server/db/url.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import type { Tools } from '../support/command.ts';
import { main } from '../main.ts';

/** What a command has answered. */
export interface Answer {
  /** The exit code. */
  readonly code: number;
  /** The result, on standard output. */
  readonly said: string;
  /** What was said beside it. */
  readonly noted: string;
}

/** Does what an operator types behind `npm run archive --`. */
export async function type(environment: NodeJS.ProcessEnv, ...words: string[]): Promise<Answer> {
  const [said, noted]: [string[], string[]] = [[], []];
  const tools: Tools = {
    environment,
    // As at a terminal, where it answers something: a command that passes that on would end with it.
    say: (line) => said.push(line),
    note: (line) => void noted.push(line),
    progress: () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  const code = await main(words, environment, tools);
  return { code, said: said.join('\n'), noted: noted.join('\n') };
}

/** The settings with which a command works on the archive of a test. */
export function settingsOf({ pool, context }: TestArchive): NodeJS.ProcessEnv {
  const { dataDir, mail } = context.config;
  return {
    DATABASE_URL: urlOf(pool.options),
    DATA_DIR: dataDir,
    MAIL_FROM: mail.from,
    ...(mail.smtpUrl !== null && { SMTP_URL: mail.smtpUrl }),
  };
}

/**
 * Has the database refuse the account with one address, until `drop trigger refuse on accounts`.
 * @param sqlState with which it refuses
 */
export async function refuse(
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
