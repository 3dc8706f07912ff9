import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a server with `--import`: at SIGUSR2 it throws away what nobody holds any more and writes down how many bytes the
 * rest takes, into the file HEAP_FILE. What stays after that and grows is a leak.
 */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env['HEAP_FILE'] ?? '', JSON.stringify({ heap: heapUsed + external }));
});
