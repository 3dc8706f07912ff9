import { TestClock } from 'pg-boss';
import { type Database, openDatabase } from '#server/db/client.ts';
import { bossOptions, executorOf } from '#server/platform/jobs/job-queue.ts';
import { copyDatabase, type TestDatabases } from './databases.ts';

export interface QueueAtTime {
  readonly database: Database;
  setSeconds(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export async function openQueueAtTime(databases: TestDatabases): Promise<QueueAtTime> {
  const { connection, drop } = await copyDatabase(databases);
  const database = openDatabase({ ...connection, options: '-c pgboss.test_clock=on' }, () => undefined);
  const start = Date.now();
  const clock = new TestClock(start);
  await clock.attach({ db: executorOf(database.pool), schema: bossOptions.schema });
  return {
    database,
    setSeconds: (seconds) => clock.setTime(start + seconds * 1000),
    close: async () => {
      await database.close();
      await drop();
    },
  };
}
