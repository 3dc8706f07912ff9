import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ci-run-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function runWith(audit: string, status: number) {
  const npm = join(folder, 'npm');
  writeFileSync(
    npm,
    `#!/bin/sh\ncase "$*" in audit*) echo '${audit}'; exit ${status};; *count-tests) echo '3 passed, 0 failed';; esac\n`,
  );
  chmodSync(npm, 0o755);
  const script = join(import.meta.dirname, '..', '.ci', 'run');
  const result = spawnSync('/bin/sh', [script], { env: { PATH: `${folder}:/usr/bin:/bin` }, encoding: 'utf8' });
  return { status: result.status, lines: result.stdout.trim().split('\n') };
}

test('.ci/run prints that vulnerabilities were not checked if the registry has no audit endpoint', () => {
  const { status, lines } = runWith('npm error audit endpoint returned an error', 1);
  expect(status).toBe(0);
  expect(lines).toContain('npm audit: not checked, because the registry has no audit endpoint');
  expect(lines.at(-1)).toBe('3 passed, 0 failed');
});

test('.ci/run fails for a vulnerability, and passes without one', () => {
  const found = runWith('1 high severity vulnerability', 1);
  const none = runWith('found 0 vulnerabilities', 0);
  expect([found.status, none.status]).toEqual([1, 0]);
  for (const { lines } of [found, none]) {
    expect(lines.join('\n')).not.toContain('not checked');
    expect(lines.at(-1)).toBe('3 passed, 0 failed');
  }
});
