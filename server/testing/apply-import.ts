import { openDatabase } from '#server/db/client.ts';
import { applyImport, lockImports } from '#server/domain/roster/import/import-steps.ts';

/* A process that applies a roster import, and that a test can kill. Usage: node apply-import.ts DATABASE_URL ID */

const [connectionString = '', id] = process.argv.slice(2);
const database = openDatabase({ connectionString }, () => undefined);
await database.inBulkTransaction(async (tx) => {
  await lockImports(tx);
  await applyImport(tx, Number(id), null, () => Promise.resolve());
});
await database.close();
