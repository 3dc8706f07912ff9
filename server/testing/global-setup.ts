import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareDatabases, type TestDatabases } from './databases.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databases: TestDatabases;
    preparedFolders: string;
  }
}

/** Starts one PostgreSQL for all API tests. Each test file copies the template database. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { end, ...databases } = await prepareDatabases();
  provide('databases', databases);
  const preparedFolders = mkdtempSync(join(tmpdir(), 'archive-prepared-'));
  // Under root, PostgreSQL runs as user nobody, which needs access.
  chmodSync(preparedFolders, 0o711);
  provide('preparedFolders', preparedFolders);
  return async () => {
    await end();
    rmSync(preparedFolders, { recursive: true, force: true });
  };
}
