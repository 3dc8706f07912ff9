import { urlOf } from '#server/db/url.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import type { Tools } from './command.ts';
import { main } from './main.ts';

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
    progress: () => ({ add: () => undefined, end: () => undefined }),
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
