import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#server/db/client.ts';
import { createContext } from '#server/startup/create-context.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { seedCampus } from '#server/seed/campus.ts';
import { prepareDatabases } from '#server/testing/databases.ts';
import { type Prepared, preparedVariable } from './test-server.ts';

export default async function globalSetup(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'archive-e2e-'));
  const { end, ...databases } = await prepareDatabases(async (connection) => {
    const config = readConfig({ DATA_DIR: dataDir });
    const database = openDatabase(connection, () => undefined);
    await seedCampus(createContext(config, readInstitution(config.institutionFile), database), {
      people: Number(process.env['E2E_PEOPLE'] ?? 160),
      portraits: process.env['E2E_PEOPLE'] ? 160 : 10,
    });
    await database.close();
  });
  const prepared: Prepared = { databases, dataDir };
  process.env[preparedVariable] = JSON.stringify(prepared);
  return async () => {
    await end();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
