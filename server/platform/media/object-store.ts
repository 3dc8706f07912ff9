import { ConfigError } from '../config/config-error.ts';
import type { ObjectStoreSettings } from '../config/media-url.ts';
import { StoreError, createObjectClient } from '../storage/object-client.ts';
import type { PictureStore } from './picture-store.ts';

/**
 * Stores pictures in a bucket.
 * @param fileNames the names that files of pictures can have
 */
export function createObjectStore(
  settings: ObjectStoreSettings,
  fileNames: readonly string[],
  limits?: { readonly timeoutMs?: number; readonly pauseMs?: number },
): PictureStore {
  const { location, bucket, bucketUrl, prefix } = settings;
  const { send, list } = createObjectClient(settings, limits);

  async function put(key: string, body: Buffer): Promise<void> {
    await send({ method: 'PUT', key, body, headers: { 'content-type': 'image/webp' } });
  }

  async function copyFile(key: string, to: string): Promise<boolean> {
    const source = encodeURI(`/${bucket}/${prefix}${key}`);
    const { status } = await send({
      method: 'PUT',
      key: to,
      headers: { 'x-amz-copy-source': source },
      canBeMissing: true,
    });
    return status !== 404;
  }

  async function remove(name: string): Promise<void> {
    await Promise.all(fileNames.map((file) => send({ method: 'DELETE', key: `${name}/${file}`, canBeMissing: true })));
  }

  async function copy(name: string, to: string): Promise<boolean> {
    const copied = await Promise.all(fileNames.map((file) => copyFile(`${name}/${file}`, `${to}/${file}`)));
    return copied.includes(true);
  }

  return {
    location,
    requireSpace: async () => undefined,
    write: async (name, files) => {
      await Promise.all(Array.from(files, async ([file, content]) => put(`${name}/${file}`, content)));
    },
    read: async (name, file) => {
      const { status, content } = await send({ method: 'GET', key: `${name}/${file}`, canBeMissing: true });
      return status === 404 ? null : content;
    },
    listFiles: async (name) => {
      const found = fileNames.toSorted().map(async (file) => {
        const { status, headers } = await send({ method: 'HEAD', key: `${name}/${file}`, canBeMissing: true });
        return status === 404 ? [] : [{ name: file, bytes: Number(headers.get('content-length')) }];
      });
      return (await Promise.all(found)).flat();
    },
    copy,
    move: async (name, to) => {
      const isCopied = await copy(name, to);
      if (isCopied) await remove(name);
      return isCopied;
    },
    delete: remove,
    listNames: async (folder) => {
      const start = folder === undefined ? '' : `${folder}/`;
      const names = new Map<string, Date>();
      for await (const { key, writtenAt } of list(start)) {
        const [name = ''] = key.slice(start.length).split('/');
        if (!name.startsWith('.') && writtenAt > (names.get(name) ?? 0)) names.set(name, writtenAt);
      }
      return Array.from(names, ([name, writtenAt]) => ({ name, writtenAt }));
    },
    check: async () => {
      try {
        await put('.check', Buffer.from('This object tests the access of the archive.'));
        await send({ method: 'DELETE', key: '.check' });
        // Skips the names that start with a dot.
        for await (const _ of list('', { 'start-after': `${prefix}/`, 'max-keys': '1' })) return true;
        return false;
      } catch (error) {
        const { cause } = error as Error;
        if (!(cause instanceof StoreError) || cause.status < 300 || cause.status >= 500) throw error;
        throw new ConfigError(
          cause.status === 404
            ? `The bucket of ${location} does not exist at ${new URL(bucketUrl).origin}. Create it, or correct MEDIA_URL.`
            : `${cause.message}. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, the clock, and that the key may list, read, write and delete.`,
          { cause },
        );
      }
    },
  };
}
