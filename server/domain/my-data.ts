import type { ZipFile } from '#server/platform/storage/zip.ts';
import type { Context } from './context.ts';
import type { Session } from './accounts/sessions.ts';

/** The personal data that one feature stores about a user, for the zip file of the data export. */
export interface MyDataPart {
  /** Additional keys of `account.json`. Must not contain a hash, a token or a code. */
  readonly account?: object;
  /** Descriptions of files and folders for README.txt, by path. */
  readonly about?: Readonly<Record<string, string>>;
  /** Created one at a time, while the zip file is sent. */
  readonly files?: AsyncIterable<ZipFile>;
}

/** Collects the personal data of one feature for the signed-in user. `server/app/my-data.ts` lists all collectors. */
export type CollectMyData = (context: Context, session: Session) => Promise<MyDataPart>;

export const jsonFile = (path: string, content: unknown): ZipFile => ({
  path,
  content: `${JSON.stringify(content, null, 2)}\n`,
});
