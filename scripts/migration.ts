import { join } from 'node:path';
import { createMigration } from './create-migration.ts';

const folder = join(import.meta.dirname, '..', 'server', 'db', 'migrations');
try {
  console.log(`Created ${createMigration(folder, process.argv[2] ?? '')}`);
} catch (error) {
  console.error(`${(error as Error).message}\n\nUsage: npm run migration NAME`);
  process.exitCode = 1;
}
