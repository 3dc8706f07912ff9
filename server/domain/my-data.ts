import type { ZipFile } from '#server/platform/storage/zip.ts';
import type { Context } from './context.ts';
import type { Session } from './accounts/sessions.ts';

export interface MyDataPart {
  /** Additional keys of `account.json`. Must not contain a hash, a token or a code. */
  readonly account?: object;
  readonly about?: Readonly<Record<string, string>>;
  readonly files?: AsyncIterable<ZipFile>;
}

export type CollectMyData = (context: Context, session: Session) => Promise<MyDataPart>;

export const jsonFile = (path: string, content: unknown): ZipFile => ({
  path,
  content: `${JSON.stringify(content, null, 2)}\n`,
});
