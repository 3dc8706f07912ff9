import { parentPort, workerData } from 'node:worker_threads';
import { RosterFileError } from '../file/roster-file.ts';
import { type FileTask, runFileTask } from './file-task.ts';
import type { FileMessage } from './file-thread.ts';

/* The worker thread of `file-thread.ts`. Does one task, and ends. */

if (!parentPort) throw new Error('This file runs only as a worker thread.');
const port = parentPort;

const post = (message: FileMessage, transfer: ArrayBuffer[] = []) => {
  port.postMessage(message, transfer);
};

const maxWaiting = 4;
let waiting = 0;
let onTaken = () => {};
port.on('message', () => {
  waiting--;
  onTaken();
});

try {
  for await (const result of runFileTask(workerData as FileTask)) {
    post(result, result.kind === 'rows' ? [result.chunk.lines.buffer] : []);
    waiting++;
    if (waiting >= maxWaiting)
      await new Promise<void>((resolve) => {
        onTaken = resolve;
      });
  }
} catch (error) {
  if (!(error instanceof RosterFileError)) throw error;
  post({ kind: 'refused', message: error.message });
} finally {
  port.close();
}
