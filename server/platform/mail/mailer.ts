import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { writeFileAtomically } from '../storage/files.ts';
import type { Mailer, Message } from './mail.ts';
import { createSmtpMailer } from './smtp.ts';

export interface OutboxMessage extends Message {
  readonly id: string;
  readonly from: string;
  readonly date: string;
}

const outboxFolder = (dataDir: string) => join(dataDir, 'outbox');

/**
 * Creates a mailer that sends over SMTP. Without a configured mail server, it saves mails as files in the outbox
 * folder.
 */
export function createMailer({ mail, dataDir }: Pick<Config, 'mail' | 'dataDir'>): Mailer {
  if (mail.smtpUrl) return createSmtpMailer(mail.smtpUrl, mail.from);
  return {
    send: async (message) => {
      await mkdir(outboxFolder(dataDir), { recursive: true, mode: 0o700 });
      const date = new Date().toISOString();
      const id = `${date.replaceAll(/[:.]/gu, '-')}-${crypto.randomUUID().slice(0, 8)}`;
      const stored: OutboxMessage = { id, date, from: mail.from, ...message };
      // Written atomically: a partial file could not be read, and the retry would add a second file.
      await writeFileAtomically(join(outboxFolder(dataDir), `${id}.json`), JSON.stringify(stored, null, 2));
    },
    close: () => undefined,
  };
}

export async function readOutbox(dataDir: string): Promise<OutboxMessage[]> {
  const names = await readdir(outboxFolder(dataDir)).catch(() => []);
  const newest = names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .toReversed()
    .slice(0, 100);
  const messages = await Promise.all(
    newest.map(async (name) => {
      // The file may have been deleted since the folder was listed.
      const text = await readFile(join(outboxFolder(dataDir), name), 'utf8').catch(() => null);
      return text === null ? null : (JSON.parse(text) as OutboxMessage);
    }),
  );
  return messages.filter((message) => message !== null);
}
