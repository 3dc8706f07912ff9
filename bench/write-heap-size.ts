import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/*
 * Loaded into a server with `--import`. On SIGUSR2 it runs a garbage collection and writes the size of the heap in
 * bytes to the file HEAP_FILE. A size that keeps growing is a memory leak.
 */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  writeFileSync(process.env['HEAP_FILE'] ?? '', JSON.stringify({ heap: heapUsed + external }));
});
