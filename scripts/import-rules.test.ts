import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/*
 * Tests the import rules of `.oxlintrc.json`, which enforce the boundaries in docs/architecture.md. One run
 * of the linter checks many files with one import each, in a temporary copy of the folder structure.
 */

const root = join(import.meta.dirname, '..');
const rejected: readonly Case[] = [
  ['contract/x.ts', '#server/app/app.ts'],
  ['contract/staff/x.ts', '../../server/app/app.ts'],
  ['contract/x.ts', 'react'],
  ['contract/x.ts', 'zod'],
  ['contract/x.ts', 'node:fs'],
  ['server/platform/x.ts', '../domain/people.ts'],
  ['server/platform/x.ts', '../features/profile/routes.ts'],
  ['server/db/x.ts', '../domain/people.ts'],
  ['server/domain/x.ts', '../features/identity/routes.ts'],
  ['server/domain/x.ts', '#server/app/app.ts'],
  ['server/domain/x.ts', '../../web/domain/people.ts'],
  ['server/domain/roster/x.ts', '../../app/app.ts'],
  ['server/domain/roster/x.ts', '../../features/identity/routes.ts'],
  ['server/domain/roster/file/x.ts', '#server/main.ts'],
  ['server/domain/x.ts', './roster/tables.ts'],
  ['server/features/profile/x.ts', '../../domain/roster/tables.ts'],
  ['server/features/identity/sessions/x.ts', '../../../domain/roster/tables.ts'],
  ['cli/commands/x.ts', '#server/domain/roster/tables.ts'],
  ['server/features/profile/x.ts', '../identity/routes.ts'],
  ['server/features/profile/x.ts', '../../features/identity/routes.ts'],
  ['server/features/profile/x.ts', '#server/app/app.ts'],
  ['server/features/identity/sessions/x.ts', '../../profile/routes.ts'],
  ['server/features/identity/sessions/x.ts', '#server/app/app.ts'],
  ['server/features/identity/sessions/x.ts', '../../../startup/start.ts'],
  ['server/platform/x.ts', '../startup/settings.ts'],
  ['cli/x.ts', '#server/main.ts'],
  ['server/features/profile/x.ts', '#web/domain/people.ts'],
  ['server/app/pages.ts', '../../web/entry-server.tsx'],
  ['server/app/app.ts', '#web/app/routes.tsx'],
  ['web/ui/x.tsx', '../domain/people.ts'],
  ['web/platform/x.ts', '../features/profile/routes.ts'],
  ['web/ui/x.tsx', '#web/domain/people.ts'],
  ['web/ui/x.tsx', '#web/features/profile/routes.ts'],
  ['web/platform/x.ts', '#web/domain/people.ts'],
  ['web/platform/x.ts', '#web/app/shell.tsx'],
  ['web/platform/x.ts', '../../web/domain/people.ts'],
  ['web/domain/x.ts', '#web/features/profile/routes.ts'],
  ['web/domain/x.ts', '#web/app/shell.tsx'],
  ['web/domain/x.ts', '#web/entry-client.tsx'],
  ['web/domain/x.ts', '#server/domain/people/people.ts'],
  ['web/features/profile/x.ts', '#web/features/identity/routes.ts'],
  ['web/features/profile/x.ts', '#web/app/shell.tsx'],
  ['web/app/x.ts', '#server/app/app.ts'],
  ['web/domain/x.ts', '../features/profile/routes.ts'],
  ['web/domain/x.ts', '../app/shell.tsx'],
  ['web/features/profile/x.ts', '../identity/routes.ts'],
  ['web/features/profile/x.ts', '../../app/shell.tsx'],
  ['web/features/staff/ui/x.ts', '../../identity/routes.ts'],
  ['web/features/staff/ui/x.ts', '../../../app/shell.tsx'],
  ['web/features/profile/x.ts', '#server/domain/people/people.ts'],
  ['web/app/x.ts', '../../server/app/app.ts'],
];

const allowed: readonly Case[] = [
  ['contract/x.ts', './fields.ts'],
  ['contract/x.ts', 'zod/mini'],
  ['server/platform/x.ts', '#contract/problem.ts'],
  ['server/domain/x.ts', '#server/platform/http/mount.ts'],
  ['contract/staff/x.ts', '../fields.ts'],
  ['server/domain/roster/file/x.ts', '../../search/folding.ts'],
  ['server/features/profile/x.ts', '#server/domain/people/people.ts'],
  ['server/features/profile/x.ts', './save-profile.ts'],
  ['server/features/identity/sessions/x.ts', '../account/change-email.ts'],
  ['server/app/app.ts', '#server/features/profile/routes.ts'],
  ['web/ui/x.tsx', '../platform/api.ts'],
  ['web/domain/x.ts', '../ui/avatar.tsx'],
  ['web/features/staff/ui/x.ts', '../staff-paths.ts'],
  ['web/app/x.ts', '../features/profile/routes.ts'],
  ['web/domain/x.ts', '#web/ui/avatar.tsx'],
  ['web/features/profile/x.ts', '#web/domain/people.ts'],
  ['web/features/profile/x.ts', '#web/platform/api.ts'],
  ['web/app/x.ts', '#web/features/profile/routes.ts'],
];

type Case = readonly [file: string, imported: string];

/** Several cases have the same file name. */
const nameFile = ([file]: Case, index: number) => file.replace('x.', `x-${index}.`);

const projectFolder = mkdtempSync(join(tmpdir(), 'archive-import-rules-'));
afterAll(() => rmSync(projectFolder, { recursive: true, force: true }));

function lint(folder: string, files: readonly (readonly [name: string, text: string])[]): string[] {
  const cwd = join(projectFolder, folder);
  for (const [name, text] of files) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  copyFileSync(join(root, '.oxlintrc.json'), join(cwd, '.oxlintrc.json'));
  return spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix'], { cwd, encoding: 'utf8' }).stdout.split(
    '\n',
  );
}

function findFaulty(folder: string, cases: readonly Case[]): Set<string> {
  const files = cases.map(
    (one, index) =>
      [nameFile(one, index), `import { thing } from '${one[1]}';\n\nexport const other = thing;\n`] as const,
  );
  const lines = lint(folder, files).filter((line) => line.includes('no-restricted-imports'));
  return new Set(lines.map((line) => line.slice(0, line.indexOf(':'))));
}

describe('import rules reject', () => {
  let faulty: Set<string>;
  beforeAll(() => {
    faulty = findFaulty('rejected', rejected);
  });

  test.each(rejected.map((one, index) => [...one, nameFile(one, index)]))('an import in %s from %s', (_, __, name) =>
    expect(faulty).toContain(name),
  );

  test('circular imports', () => {
    const lines = lint('cycle', [
      ['server/domain/one.ts', `import { two } from './two.ts';\n\nexport const one = () => two;\n`],
      ['server/domain/two.ts', `import { one } from './one.ts';\n\nexport const two = () => one;\n`],
    ]);
    expect(lines.join('\n')).toContain('no-cycle');
  });

  test('a cycle of type imports', () => {
    const lines = lint('type-cycle', [
      ['web/ui/one.ts', `import type { Two } from './two.ts';\n\nexport type One = Two | 1;\n`],
      ['web/ui/two.ts', `import type { One } from './one.ts';\n\nexport type Two = One[];\n`],
    ]);
    expect(lines.join('\n')).toContain('no-cycle');
  });
});

describe('import rules allow', () => {
  let faulty: Set<string>;
  beforeAll(() => {
    faulty = findFaulty('allowed', allowed);
  });

  test.each(allowed.map((one, index) => [...one, nameFile(one, index)]))('an import in %s from %s', (_, __, name) =>
    expect(faulty).not.toContain(name),
  );
});
