import type { TestProject } from 'vitest/node';
import { prepareDatabases, type TestDatabases } from './databases.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databases: TestDatabases;
  }
}

/** One PostgreSQL for all API tests; each file of them works on a copy of its own. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { end, ...databases } = await prepareDatabases();
  provide('databases', databases);
  return end;
}
