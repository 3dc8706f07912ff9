import { type ReadOptions, readRosterFile } from '../file/read-roster-file.ts';
import { readRosterRows } from '../file/read-roster-rows.ts';
import type { RosterFile, RosterSettings } from '../file/roster-file.ts';
import { type CopyChunk, toCopyChunks } from './copy-lines.ts';

export type FileTask = { readonly path: string } & (
  | { readonly kind: 'detect'; readonly options: ReadOptions }
  | { readonly kind: 'rows'; readonly settings: RosterSettings }
);

export type FileResult =
  | { readonly kind: 'detected'; readonly file: RosterFile }
  | { readonly kind: 'rows'; readonly chunk: CopyChunk };

export async function* runFileTask(task: FileTask): AsyncGenerator<FileResult> {
  if (task.kind === 'detect') yield { kind: 'detected', file: await readRosterFile(task.path, task.options) };
  else for await (const chunk of toCopyChunks(readRosterRows(task.path, task.settings))) yield { kind: 'rows', chunk };
}
