import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates the next numbered SQL file in a folder of migrations.
 * @param name lower-case words with hyphens, e.g. `friend-marks`
 * @returns the path of the file
 * @throws Error if the name is not valid or in use
 */
export function createMigration(folder: string, name: string): string {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name))
    throw new Error(`Not a valid name: "${name}". Use lower-case words with hyphens, e.g. friend-marks.`);
  mkdirSync(folder, { recursive: true });
  const existing = readdirSync(folder).filter((file) => /^\d{3}-.+\.sql$/u.test(file));
  const same = existing.find((file) => file.slice('NNN-'.length) === `${name}.sql`);
  if (same) throw new Error(`The migration ${same} has this name already.`);
  const last = Math.max(0, ...existing.map((file) => Number.parseInt(file, 10)));
  const file = join(folder, `${String(last + 1).padStart(3, '0')}-${name}.sql`);
  writeFileSync(file, `-- ${name[0]?.toUpperCase()}${name.slice(1).replaceAll('-', ' ')}: what it stores and why.\n\n`);
  return file;
}
