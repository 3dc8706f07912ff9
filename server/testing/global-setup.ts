import type { TestProject } from 'vitest/node';
import { prepareDatabases, type TestDatabases } from './databases.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    databases: TestDatabases;
  }
}

/** Starts one PostgreSQL for all API tests. Each test file copies the template database. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { end, ...databases } = await prepareDatabases();
  provide('databases', databases);
  return end;
}
