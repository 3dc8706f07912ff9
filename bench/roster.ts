import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#server/db/client.ts';
import { startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { migrate } from '#server/db/migrate.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import {
  type Checked,
  applyImport,
  checkRows,
  detectFile,
  lockImports,
  undoImport,
} from '#server/domain/roster/import/import-steps.ts';
import { insertImport, saveChecked, saveDetected } from '#server/domain/roster/import/roster-imports.ts';
import { writeMeasurements } from './measurements.ts';
import { writeRoster } from './roster-file.ts';

/*
 * Measures the import of a roster: dry run, apply, the same file again, and undo. After the apply, every tenth entry is
 * linked to a confirmed account, so that the search for changed people has work. Starts its own PostgreSQL in a
 * temporary folder.
 *
 * Usage: node bench/roster.ts [ROWS]
 */

const rows = Number(process.argv[2] ?? 500_000);
const folder = mkdtempSync(join(tmpdir(), 'bench-roster-'));
const institution = readInstitution(join(import.meta.dirname, '..', 'institution.json'));
const path = join(folder, 'roster.csv');

const results: (string | number)[][] = [];
let peakBytes = 0;
const sampler = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 100);

async function measure<Result>(label: string, work: () => Promise<Result>): Promise<Result> {
  peakBytes = process.memoryUsage.rss();
  const before = peakBytes;
  const start = performance.now();
  const result = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  results.push([label.trim(), seconds, megabytes(peakBytes - before)]);
  console.log(
    `${label.padEnd(18)} ${seconds.padStart(6)} s   memory ${megabytes(before)} → ${megabytes(peakBytes)} MB at most`,
  );
  return result;
}

await writeRoster(path, institution, rows);
console.log(`${rows} rows, ${Math.round(statSync(path).size / 1e6)} MB`);
const dataFolder = openDataFolder(join(folder, 'data'));
const embedded = await startEmbedded({ dataDir: dataFolder.path, user: dataFolder.postgresUser });
const database = openDatabase(embedded.connection, () => undefined);
try {
  await migrate(embedded.connection, embedded.auditOwner);
  const onProgress = () => Promise.resolve();
  const digest = createHash('sha256').update(path).digest();
  const insert = () => insertImport(database.db, { fileName: 'roster.csv', digest, options: {}, accountId: null });
  const check = (id: number): Promise<Checked> =>
    database.inBulkTransaction(async (tx, client) => {
      await lockImports(tx);
      const file = await measure('  of it: detect', () => detectFile(tx, path, {}, institution));
      await saveDetected(tx, id, file);
      const checked = await checkRows(tx, client, { importId: id, path, file, options: {}, onProgress });
      await saveChecked(tx, id, checked);
      return checked;
    });
  const first = await insert();
  const { counts, warnings } = await measure('Dry run', () => check(first));
  console.log(JSON.stringify({ counts, warnings: warnings.map(({ kind }) => kind) }));
  await measure('Apply', () =>
    database.inBulkTransaction(async (tx) => {
      await lockImports(tx);
      await applyImport(tx, first, null, onProgress);
    }),
  );
  await database.pool.query(`
    with people as (
      insert into accounts (email, password_hash) select 'm' || id || '@mail.example', '!' from roster_entries where id % 10 = 0 returning id, email)
    insert into roster_links (entry_id, account_id) select e.id, p.id from people p join roster_entries e on p.email = 'm' || e.id || '@mail.example'`);
  await database.pool.query('analyze roster_links');
  const second = await insert();
  const again = await measure('Same file, check', () => check(second));
  console.log(JSON.stringify(again.counts));
  await database.pool.query(`update roster_imports set state = 'cancelled' where id = $1`, [second]);
  const undone = await measure('Undo', () =>
    database.inBulkTransaction(async (tx) => {
      await lockImports(tx);
      return undoImport(tx, first, null);
    }),
  );
  console.log(JSON.stringify(undone));
  writeMeasurements('roster-import', ['step', 'seconds', 'memory that is added, at most, MB'], results);
} finally {
  clearInterval(sampler);
  await database.close();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
