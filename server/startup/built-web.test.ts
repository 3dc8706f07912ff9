import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { PageRequest } from '#contract/page.ts';
import { loadBuiltWeb } from './built-web.ts';
import { readInstitution } from '#server/domain/read-institution.ts';

const institution = readInstitution(join(import.meta.dirname, '..', '..', 'institution.json'));

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'built-web-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('loadBuiltWeb throws an error that names npm start when there is no build', () => {
  expect(() => loadBuiltWeb(newFolder(), institution)).toThrow(/npm start/u);
});

test('loadBuiltWeb renders pages that were not opened before, even after the build was replaced', async () => {
  const folder = newFolder();
  for (const path of ['web/.vite', 'server/assets']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(
    join(folder, 'web/.vite/manifest.json'),
    JSON.stringify({
      'web/entry-client.tsx': { file: 'entry.js', isEntry: true },
      'web/early-clicks.ts': { file: 'early.js', isEntry: true },
      'web/styles/main.css': { file: 'main.css', isEntry: true },
      'web/styles/all.css': { file: 'all.css', src: 'web/styles/all.css' },
    }),
  );
  for (const name of ['main.css', 'all.css', 'early.js']) writeFileSync(join(folder, 'web', name), '');
  writeFileSync(join(folder, 'server/package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'server/entry-server.js'),
    `export const render = async () => ({ kind: 'page', status: 200, html: (await import('./assets/pages-1.js')).html });`,
  );
  writeFileSync(join(folder, 'server/assets/pages-1.js'), `export const html = 'drawn';`);
  const web = loadBuiltWeb(folder, institution);
  const render = await web?.pages.render();
  rmSync(join(folder, 'server'), { recursive: true });
  expect(await render?.({} as PageRequest)).toMatchObject({ html: 'drawn' });
});
