import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { ConfigError } from '../config/config-error.ts';
import type { ObjectStoreSettings } from '../config/media-url.ts';
import { ProblemError } from '../http/problem.ts';

const maxAttempts = 3;

/**
 * Circuit breaker: after this many consecutive failures, one request per pause is tried. The others fail immediately.
 */
const maxFailures = 3;

/** Slowest upload of a file, 4 MB/s. */
const minBytesPerMs = 4_000;

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly status: number;
  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

const unavailableProblem = (cause: unknown) =>
  new ProblemError('unavailable', {
    detail:
      'The storage for pictures and other files is not available, so nothing was changed. Try again in a few minutes.',
    retryAfter: 60,
    cause,
  });

interface ObjectRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty for the bucket. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | Blob;
  /** Whether a missing object is an expected response. */
  readonly canBeMissing?: boolean;
}

export interface ObjectClient {
  /** @throws ProblemError unavailable */
  readonly send: (request: ObjectRequest) => Promise<{ status: number; headers: Headers; content: Buffer }>;
  /** Lists the objects whose keys start with `folder`. @param more parameters of the request */
  readonly list: (
    folder: string,
    more?: Readonly<Record<string, string>>,
  ) => AsyncGenerator<{ readonly key: string; readonly writtenAt: Date }>;
}

/**
 * Sends requests to a bucket of an object store with the S3 API. Uses only GET, HEAD, PUT, copy, DELETE and list, which
 * all such stores have. Lists may be eventually consistent.
 * @param timeoutMs time limit of a request with its retries. Some wait inside a transaction, and pages wait for
 * pictures
 */
export function createObjectClient(
  { location, bucketUrl, prefix, ...credentials }: ObjectStoreSettings,
  { timeoutMs = 5_000, pauseMs = 5_000 } = {},
): ObjectClient {
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
        'x-amz-content-sha256': await digestOf(body),
      },
      ...(Buffer.isBuffer(body) && { body: new Uint8Array(body) }),
    });
    // Unless redirects are errors and there is no window, `fetch` keeps a copy of the body in memory.
    const response = await (body instanceof Blob
      ? fetch(url, { method, headers: signed.headers, body, signal, redirect: 'error', window: null })
      : fetch(signed, { signal, redirect: 'manual' }));
    const content = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, content };
  }

  async function tryRequest(request: ObjectRequest) {
    const { body } = request;
    const signal = AbortSignal.timeout(timeoutMs + (body instanceof Blob ? Math.ceil(body.size / minBytesPerMs) : 0));
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
      const isMissing = status === 404 && request.canBeMissing === true && !outcome?.content.includes('NoSuchBucket');
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

  return { send, list };
}

async function digestOf(body: Buffer | Blob | undefined): Promise<string> {
  const digest = createHash('sha256');
  if (body instanceof Blob) for await (const chunk of body.stream()) digest.update(chunk);
  else digest.update(body ?? '');
  return digest.digest('hex');
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
