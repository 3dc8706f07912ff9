import type { ZipFile } from '../platform/storage/zip.ts';
import type { Context } from './context.ts';
import type { Session } from './sessions.ts';

/** What one feature holds about somebody, for the zip that they download. */
export interface MyDataPart {
  /** Further keys of `account.json`. Never a digest, a token or a code. */
  readonly account?: object;
  /** What README.txt says of each file or folder, by its path. */
  readonly about?: Readonly<Record<string, string>>;
  /** Made one after another, while the zip goes out. */
  readonly files?: AsyncIterable<ZipFile>;
}

/** Collects what a feature holds about whoever is signed in; `server/my-data.ts` lists them. */
export type CollectMyData = (context: Context, session: Session) => Promise<MyDataPart>;

/** A file of the zip that programs read, and people can. */
export const jsonFile = (path: string, content: unknown): ZipFile => ({
  path,
  content: `${JSON.stringify(content, null, 2)}\n`,
});
