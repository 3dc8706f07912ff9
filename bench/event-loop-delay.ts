import { appendFileSync } from 'node:fs';

/*
 * Loaded into the server by `--import`. For each second, appends two times in milliseconds to EVENT_LOOP_DELAY_FILE:
 * the longest delay of the event loop, and the longest CPU time of the main thread between two turns. The first also
 * contains the time in which other processes had the processor.
 */

const file = process.env['EVENT_LOOP_DELAY_FILE'] ?? '';
const intervalMs = 5;
const readCpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let [lastMs, lastCpuMs, maxDelayMs, maxCpuMs] = [performance.now(), readCpuMs(), 0, 0];
setInterval(() => {
  const [nowMs, cpuMs] = [performance.now(), readCpuMs()];
  maxDelayMs = Math.max(maxDelayMs, nowMs - lastMs - intervalMs);
  maxCpuMs = Math.max(maxCpuMs, cpuMs - lastCpuMs);
  [lastMs, lastCpuMs] = [nowMs, cpuMs];
}, intervalMs).unref();
setInterval(() => {
  appendFileSync(file, `${maxDelayMs.toFixed(1)} ${maxCpuMs.toFixed(1)}\n`);
  [maxDelayMs, maxCpuMs] = [0, 0];
}, 1_000).unref();
