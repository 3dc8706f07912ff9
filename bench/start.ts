import { parseArgs } from 'node:util';
import { openBenchArchive } from './archive.ts';
import { computeMedian, readCpuMs } from './load.ts';
import { startServer } from './server.ts';
import { openWorkspace } from './workspace.ts';

/*
 * Measures a start of the server on an existing database, until the first response. Options: --people 100000,
 * --starts 9, --data FOLDER.
 */

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '100000' },
    starts: { type: 'string', default: '9' },
    data: { type: 'string' },
  },
});
const { folder, onCleanUp, cleanUp } = openWorkspace('start', values.data);
const archive = await openBenchArchive(folder, Number(values.people));
onCleanUp(() => archive.stop());

async function measureStart(): Promise<{ wall: number; cpu: number }> {
  const start = performance.now();
  const server = await startServer('server/main.ts', archive, folder, { NODE_ENV: 'production' });
  const measured = { wall: performance.now() - start, cpu: readCpuMs(server.pid) };
  await server.stop();
  return measured;
}

// Fills the compile cache.
await measureStart();
const starts: { wall: number; cpu: number }[] = [];
for (let number = 0; number < Number(values.starts); number++) starts.push(await measureStart());
for (const kind of ['wall', 'cpu'] as const) {
  const times = starts.map((start) => start[kind]);
  console.log(
    `Start, ${kind}: median ${computeMedian(times).toFixed(0)} ms, ${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)}`,
  );
}
await cleanUp();
