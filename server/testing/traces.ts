import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fold } from '#server/domain/search/folding.ts';
import type { TestArchive } from './archive.ts';

export type Marks = ReadonlyMap<string, readonly string[]>;

export const formsOf = (word: string): string[] => [
  ...new Set([word, fold(word), encodeURIComponent(word), word.replaceAll(/[\s-]/gu, '')].map(plain)),
];

export function digestForms(secret: string): string[] {
  const digest = createHash('sha256').update(secret).digest();
  return (['hex', 'base64', 'base64url'] as const).map((form) => plain(digest.toString(form)));
}

const plain = (text: string) => text.normalize('NFC').toLowerCase();

/**
 * Searches for traces in all columns of all tables in all schemas, in the names and contents of all files of the data
 * folder, and in the log.
 * @returns one line per place and trace, such as "public.accounts: the address"
 */
export async function findTraces({ pool, context, logged }: TestArchive, marks: Marks): Promise<string[]> {
  const found = new Set<string>();
  const look = (place: string, text: string) => {
    const forms = [plain(text), fold(text)];
    for (const [name, wanted] of marks)
      if (wanted.some((form) => forms.some((one) => one.includes(form)))) found.add(`${place}: ${name}`);
  };
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables) {
    const { rows } = await pool.query<{ content: string }>(`select t::text as content from ${name} as t`);
    for (const { content } of rows) look(name, content);
  }
  const { dataDir } = context.config;
  for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const place = `file ${relative(dataDir, path)}`;
    look(place, relative(dataDir, path));
    if (entry.isFile()) look(place, readFileSync(path, 'utf8'));
  }
  for (const line of logged) look('log', line);
  return [...found].toSorted();
}
