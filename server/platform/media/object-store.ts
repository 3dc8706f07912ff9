import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { ConfigError } from '../config/config-error.ts';
import type { ObjectStoreSettings } from '../config/media-url.ts';
import { ProblemError } from '../http/problem.ts';
import type { PictureStore } from './picture-store.ts';

const maxAttempts = 3;

/** Circuit breaker: after this many consecutive failures, one request per pause is tried. The others fail immediately. */
const maxFailures = 3;

class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly status: number;
  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

const unavailableProblem = (cause: unknown) =>
  new ProblemError('unavailable', {
    detail: 'The picture storage is not available, so nothing was changed. Try again in a few minutes.',
    retryAfter: 60,
    cause,
  });

interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty for the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Whether a missing object is an expected response. */
  readonly canMiss?: boolean;
}

/**
 * Opens a bucket of an object store with the S3 API. Uses only GET, HEAD, PUT, copy, DELETE and list, which all such
 * stores have. Lists may be eventually consistent.
 * @param fileNames the names that files of pictures can have
 * @param timeoutMs time limit of a request with its retries. Some wait inside a transaction, and pages wait for pictures
 */
export function createObjectStore(
  { location, bucket, bucketUrl, prefix, ...credentials }: ObjectStoreSettings,
  fileNames: readonly string[],
  { timeoutMs = 5_000, pauseMs = 5_000 } = {},
): PictureStore {
  const signer = new AwsClient({
    accessKeyId: credentials.accessKeyId,
    secretAccessKey: credentials.secretAccessKey,
    region: credentials.region,
    service: 's3',
    ...(credentials.sessionToken !== undefined && { sessionToken: credentials.sessionToken }),
  });
  let failures = 0;
  let triedAtMs = -Infinity;

  async function attempt({ method, key = '', query = {}, headers, body }: ObjectRequest, signal: AbortSignal) {
    const url = `${bucketUrl}/${prefix}${key}`;
    const signed = await signer.sign(key === '' ? `${bucketUrl}?${new URLSearchParams(query).toString()}` : url, {
      method,
      headers: {
        ...headers,
        'x-amz-content-sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
      },
      ...(body && { body: new Uint8Array(body) }),
    });
    const response = await fetch(signed, { signal, redirect: 'manual' });
    const content = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, content };
  }

  async function tryRequest(request: ObjectRequest) {
    const signal = AbortSignal.timeout(timeoutMs);
    for (let count = 1; ; count++) {
      const isLast = count === maxAttempts;
      const outcome = await attempt(request, signal).catch((error: unknown) => {
        const { message, cause } = error as Error;
        // `fetch` hides the reason in the cause.
        const reason = (cause as { code?: string } | undefined)?.code ?? message;
        if (isLast || signal.aborted) throw new StoreError(`${location} cannot be reached (${reason}).`, 0, error);
        return null;
      });
      // A copy can fail after the status 200 was sent.
      const isFailedCopy = outcome?.status === 200 && outcome.content.includes('<Error>') && request.method === 'PUT';
      const status = isFailedCopy ? 500 : (outcome?.status ?? 500);
      const isMissing = status === 404 && request.canMiss === true && !outcome?.content.includes('NoSuchBucket');
      if (outcome && (status < 300 || isMissing)) return outcome;
      const isTemporary = status >= 500 || status === 429;
      if (outcome && (isLast || !isTemporary)) {
        const code = /<Code>(\w+)<\/Code>/u.exec(outcome.content.toString())?.[1] ?? '';
        throw new StoreError(`${location} answered ${request.method} with ${status} ${code}`.trimEnd(), status);
      }
      await delay(100 * count);
    }
  }

  async function send(request: ObjectRequest) {
    if (failures >= maxFailures && performance.now() - triedAtMs < pauseMs)
      throw unavailableProblem(new StoreError(`${location} failed ${failures} times. It is tried again soon.`, 0));
    triedAtMs = performance.now();
    try {
      const response = await tryRequest(request);
      failures = 0;
      return response;
    } catch (error) {
      failures++;
      throw unavailableProblem(error);
    }
  }

  async function put(key: string, body: Buffer): Promise<void> {
    await send({ method: 'PUT', key, body, headers: { 'content-type': 'image/webp' } });
  }

  async function copyFile(key: string, to: string): Promise<boolean> {
    const source = encodeURI(`/${bucket}/${prefix}${key}`);
    const { status } = await send({ method: 'PUT', key: to, headers: { 'x-amz-copy-source': source }, canMiss: true });
    return status !== 404;
  }

  async function remove(name: string): Promise<void> {
    await Promise.all(fileNames.map((file) => send({ method: 'DELETE', key: `${name}/${file}`, canMiss: true })));
  }

  async function copy(name: string, to: string): Promise<boolean> {
    const copied = await Promise.all(fileNames.map((file) => copyFile(`${name}/${file}`, `${to}/${file}`)));
    return copied.includes(true);
  }

  async function* list(folder: string, more: Readonly<Record<string, string>> = {}) {
    for (let token: string | null = ''; token !== null;) {
      const query = {
        'list-type': '2',
        prefix: prefix + folder,
        ...more,
        ...(token && { 'continuation-token': token }),
      };
      const { content } = await send({ method: 'GET', query });
      const xml = content.toString();
      if (!xml.includes('<ListBucketResult')) throw new ConfigError(describeNoStore(location));
      for (const [entry] of xml.matchAll(/<Contents>.*?<\/Contents>/gsu)) {
        const key = readTag(entry, 'Key') ?? '';
        if (key.startsWith(prefix))
          yield { key: key.slice(prefix.length), writtenAt: new Date(readTag(entry, 'LastModified') ?? '') };
      }
      token = readTag(xml, 'IsTruncated') === 'true' ? readTag(xml, 'NextContinuationToken') : null;
    }
  }

  return {
    location,
    requireSpace: async () => undefined,
    write: async (name, files) => {
      await Promise.all(Array.from(files, async ([file, content]) => put(`${name}/${file}`, content)));
    },
    read: async (name, file) => {
      const { status, content } = await send({ method: 'GET', key: `${name}/${file}`, canMiss: true });
      return status === 404 ? null : content;
    },
    listFiles: async (name) => {
      const found = fileNames.toSorted().map(async (file) => {
        const { status, headers } = await send({ method: 'HEAD', key: `${name}/${file}`, canMiss: true });
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

const describeNoStore = (location: string) =>
  `The endpoint of ${location} does not respond like an object store with the S3 API. Correct MEDIA_URL.`;

function readTag(xml: string, tag: string): string | null {
  const text = new RegExp(`<${tag}>([^<]*)</${tag}>`, 'u').exec(xml)?.[1];
  return (
    text
      ?.replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&#34;', '"')
      .replaceAll('&amp;', '&') ?? null
  );
}
