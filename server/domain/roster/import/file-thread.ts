import { on } from 'node:events';
import { open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ReadOptions } from '../file/read-roster-file.ts';
import { type RosterFile, RosterFileError, type RosterSettings } from '../file/roster-file.ts';
import type { CopyChunk } from './copy-lines.ts';
import { type FileResult, type FileTask, runFileTask } from './file-task.ts';

export type FileMessage = FileResult | { readonly kind: 'refused'; readonly message: string };

/** Smaller CSV files are read without a worker thread, whose start takes longer. */
const minThreadBytes = 64 * 1024;

/** Maximum memory of a worker thread. The largest workbooks that can be read need 250 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 400, maxYoungGenerationSizeMb: 32 };

/**
 * Time without a result after which reading is given up. Detecting a file of 100 MB takes 5 s, and longer on a busy
 * machine.
 */
const maxSilenceMs = 300_000;

/**
 * Detects how to read a file. Large files are read in a worker thread, where they neither delay requests nor use up the
 * server's memory.
 * @throws RosterFileError
 */
export async function readFileInThread(path: string, options: ReadOptions): Promise<RosterFile> {
  for await (const result of run({ kind: 'detect', path, options })) if (result.kind === 'detected') return result.file;
  throw new Error('The worker thread ended without a result');
}

export async function* readRowsInThread(path: string, settings: RosterSettings): AsyncGenerator<CopyChunk> {
  for await (const result of run({ kind: 'rows', path, settings })) if (result.kind === 'rows') yield result.chunk;
}

async function* run(task: FileTask): AsyncGenerator<FileResult> {
  yield* (await isSmallText(task.path)) ? runFileTask(task) : runInThread(task);
}

/** Returns whether a file is small and not a zip, which can contain a thousand times as much. */
async function isSmallText(path: string): Promise<boolean> {
  await using file = await open(path);
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return size < minThreadBytes && buffer.toString('latin1', 0, bytesRead) !== 'PK';
}

async function* runInThread(task: FileTask): AsyncGenerator<FileResult> {
  const worker = new Worker(new URL('file-worker.ts', import.meta.url), { workerData: task, resourceLimits });
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), maxSilenceMs);
  try {
    const messages = on(worker, 'message', { close: ['exit'], signal: silence.signal });
    for await (const [message] of messages as AsyncIterable<[FileMessage]>) {
      if (message.kind === 'refused') throw new RosterFileError(message.message);
      yield message;
      timer.refresh();
      worker.postMessage('taken');
    }
  } catch (error) {
    if (silence.signal.aborted) throw new RosterFileError(describeLimit('takes too long'), { cause: error });
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new RosterFileError(describeLimit('needs too much memory'), { cause: error });
    throw error;
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

const describeLimit = (problem: string): string =>
  `Reading this file ${problem}. Save the list as “CSV UTF-8” and upload that file.`;
