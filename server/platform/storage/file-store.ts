import type { Readable } from 'node:stream';

/** Stores private files for some hours or days. They are not in backups. */
export interface FileStore {
  /**
   * Stores a file when all of its content has arrived. A failure leaves no file, except after a crash.
   * @param chooseName called when the content has arrived; returns the name
   * @throws ProblemError insufficient-storage, unavailable
   */
  write(content: AsyncIterable<Buffer | string>, chooseName: () => Promise<string>): Promise<void>;
  /** @returns null if the file is missing. @throws ProblemError unavailable */
  open(name: string): Promise<Readable | null>;
  /**
   * Returns the path of a file, or of a temporary copy of it, on the local disk. Null if the file is missing.
   * @throws ProblemError insufficient-storage, unavailable
   */
  openLocally(name: string): Promise<LocalFile | null>;
  delete(name: string): Promise<void>;
  /** Deletes all files except some, and except those that are being written. */
  deleteOthers(isKept: (name: string) => boolean): Promise<void>;
}

export interface LocalFile extends AsyncDisposable {
  readonly path: string;
}
