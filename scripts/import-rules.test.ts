import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

/*
 * Tests the import rules of `.oxlintrc.json`, which enforce the boundaries in docs/architecture.md. Each test lints a file with one import
 * in a temporary copy of the folder structure.
 */

const root = join(import.meta.dirname, '..');
const projectFolder = mkdtempSync(join(tmpdir(), 'archive-import-rules-'));
copyFileSync(join(root, '.oxlintrc.json'), join(projectFolder, '.oxlintrc.json'));
afterAll(() => rmSync(projectFolder, { recursive: true, force: true }));

/** Lints a file with one import. @returns the output of the linter */
function lint(file: string, imported: string): string {
  const path = join(projectFolder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import { thing } from '${imported}';\n\nexport const other = thing;\n`);
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix', file], {
    cwd: projectFolder,
    encoding: 'utf8',
  });
  rmSync(path);
  return stdout;
}

describe('import rules reject', () => {
  test.each([
    ['contract/x.ts', '#server/app.ts'],
    ['contract/x.ts', '../server/app.ts'],
    ['contract/x.ts', 'react'],
    ['contract/x.ts', 'zod'],
    ['contract/x.ts', 'node:fs'],
    ['server/platform/x.ts', '../domain/people.ts'],
    ['server/platform/x.ts', '../features/profile/routes.ts'],
    ['server/db/x.ts', '../domain/people.ts'],
    ['server/domain/x.ts', '../features/identity/routes.ts'],
    ['server/domain/x.ts', '../app.ts'],
    ['server/domain/x.ts', '../../web/domain/people.ts'],
    ['server/domain/roster/x.ts', '../../app.ts'],
    ['server/domain/roster/x.ts', '../../features/identity/routes.ts'],
    ['server/domain/roster/file/x.ts', '../../../app.ts'],
    ['server/domain/x.ts', './roster/tables.ts'],
    ['server/features/profile/x.ts', '../../domain/roster/tables.ts'],
    ['server/features/identity/sessions/x.ts', '../../../domain/roster/tables.ts'],
    ['cli/commands/x.ts', '#server/domain/roster/tables.ts'],
    ['server/features/profile/x.ts', '../identity/routes.ts'],
    ['server/features/profile/x.ts', '../../features/identity/routes.ts'],
    ['server/features/profile/x.ts', '../../app.ts'],
    ['server/features/identity/sessions/x.ts', '../../profile/routes.ts'],
    ['server/features/identity/sessions/x.ts', '../../../app.ts'],
    ['server/features/identity/sessions/x.ts', '../../../startup/start.ts'],
    ['server/platform/x.ts', '../startup/settings.ts'],
    ['cli/x.ts', '#server/main.ts'],
    ['server/features/profile/x.ts', '#web/domain/people.ts'],
    ['server/pages.ts', '../web/entry-server.tsx'],
    ['server/app.ts', '#web/app/routes.tsx'],
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
    ['web/domain/x.ts', '#server/domain/people.ts'],
    ['web/features/profile/x.ts', '#web/features/identity/routes.ts'],
    ['web/features/profile/x.ts', '#web/app/shell.tsx'],
    ['web/app/x.ts', '#server/app.ts'],
    ['web/domain/x.ts', '../features/profile/routes.ts'],
    ['web/domain/x.ts', '../app/shell.tsx'],
    ['web/features/profile/x.ts', '../identity/routes.ts'],
    ['web/features/profile/x.ts', '../../app/shell.tsx'],
    ['web/features/staff/ui/x.ts', '../../identity/routes.ts'],
    ['web/features/staff/ui/x.ts', '../../../app/shell.tsx'],
    ['web/features/profile/x.ts', '#server/domain/people.ts'],
    ['web/app/x.ts', '../../server/app.ts'],
  ])('an import in %s from %s', (file, imported) => {
    expect(lint(file, imported)).toContain('no-restricted-imports');
  });

  test('circular imports', () => {
    mkdirSync(join(projectFolder, 'server/domain'), { recursive: true });
    writeFileSync(
      join(projectFolder, 'server/domain/one.ts'),
      `import { two } from './two.ts';\n\nexport const one = () => two;\n`,
    );
    writeFileSync(
      join(projectFolder, 'server/domain/two.ts'),
      `import { one } from './one.ts';\n\nexport const two = () => one;\n`,
    );
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix'], {
      cwd: projectFolder,
      encoding: 'utf8',
    });
    expect(stdout).toContain('no-cycle');
  });

  test('a cycle of type imports', () => {
    mkdirSync(join(projectFolder, 'web/ui'), { recursive: true });
    writeFileSync(
      join(projectFolder, 'web/ui/one.ts'),
      `import type { Two } from './two.ts';\n\nexport type One = Two | 1;\n`,
    );
    writeFileSync(
      join(projectFolder, 'web/ui/two.ts'),
      `import type { One } from './one.ts';\n\nexport type Two = One[];\n`,
    );
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'unix', 'web/ui'], {
      cwd: projectFolder,
      encoding: 'utf8',
    });
    expect(stdout).toContain('no-cycle');
  });
});

describe('import rules allow', () => {
  test.each([
    ['contract/x.ts', './fields.ts'],
    ['contract/x.ts', 'zod/mini'],
    ['server/platform/x.ts', '#contract/problem.ts'],
    ['server/domain/x.ts', '../platform/http.ts'],
    ['server/domain/roster/x.ts', '../folding.ts'],
    ['server/domain/roster/file/x.ts', '../../folding.ts'],
    ['server/features/profile/x.ts', '../../domain/people.ts'],
    ['server/features/profile/x.ts', './save-profile.ts'],
    ['server/features/identity/sessions/x.ts', '../account/change-email.ts'],
    ['server/app.ts', './features/profile/routes.ts'],
    ['web/ui/x.tsx', '../platform/api.ts'],
    ['web/domain/x.ts', '../ui/avatar.tsx'],
    ['web/features/profile/x.ts', '../../domain/people.ts'],
    ['web/features/staff/ui/x.ts', '../staff-paths.ts'],
    ['web/features/staff/ui/x.ts', '../../../domain/people.ts'],
    ['web/app/x.ts', '../features/profile/routes.ts'],
    ['web/domain/x.ts', '#web/ui/avatar.tsx'],
    ['web/features/profile/x.ts', '#web/domain/people.ts'],
    ['web/features/profile/x.ts', '#web/platform/api.ts'],
    ['web/app/x.ts', '#web/features/profile/routes.ts'],
  ])('an import in %s from %s', (file, imported) => {
    expect(lint(file, imported)).not.toContain('no-restricted-imports');
  });
});
