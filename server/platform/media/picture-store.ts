/**
 * Stores the files of pictures. A picture is a name with files such as `384.webp`, which never change. A name can be in
 * a subfolder whose name starts with a dot, such as `.removed/NAME`; those are not served.
 */
export interface PictureStore {
  /** The folder or URL, for messages. */
  readonly location: string;
  /**
   * Checks the access. An object store is listed, and a test object is written and deleted.
   * @returns whether there are pictures
   * @throws ConfigError if the settings are wrong; ProblemError unavailable if the store does not respond
   */
  check(): Promise<boolean>;
  /** @throws ProblemError insufficient-storage if new pictures have to be refused */
  requireSpace(): Promise<void>;
  /**
   * Adds files to a picture. A failure can leave some of them.
   * @param isSynced whether they have to survive a power failure as soon as the promise resolves (default)
   * @throws ProblemError insufficient-storage, unavailable
   */
  write(name: string, files: ReadonlyMap<string, Buffer>, options?: { readonly isSynced: boolean }): Promise<void>;
  read(name: string, file: string): Promise<Buffer | null>;
  listFiles(name: string): Promise<PictureFile[]>;
  /** @returns false if the picture is missing */
  copy(name: string, to: string): Promise<boolean>;
  /** Can be repeated after a failure, which can leave files in both places. @returns false if the picture is missing */
  move(name: string, to: string): Promise<boolean>;
  delete(name: string): Promise<void>;
  /** @param folder a subfolder such as `.removed`; by default, the pictures outside of subfolders */
  listNames(folder?: string): Promise<{ readonly name: string; readonly writtenAt: Date }[]>;
}

export interface PictureFile {
  readonly name: string;
  readonly bytes: number;
}
