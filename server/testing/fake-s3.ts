import { createHash, createHmac } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/*
 * A small object store with the S3 API, as far as the archive uses it. It checks signatures (AWS Signature Version 4)
 * and digests with its own code. `faults/object-store.test.ts` runs the same tests on OpenStack Swift.
 */

/** `half` closes the connection in the middle of a request or a response. `slow` never responds. */
export type StoreFault = 'none' | '503' | '503 once' | 'slow' | 'half';

export interface FakeS3 {
  readonly origin: string;
  readonly objects: Map<string, StoredObject>;
  readonly environment: { readonly AWS_ACCESS_KEY_ID: string; readonly AWS_SECRET_ACCESS_KEY: string };
  fault: StoreFault;
  /** Number of the request from now on that fails, and those after it. */
  failAfter: number;
  close(): Promise<void>;
}

interface StoredObject {
  readonly content: Buffer;
  readonly type: string;
  readonly writtenAt: Date;
}

const accessKey = 'archive';
const secret = 'a secret with 40 characters, more or less';
const bucketName = 'pictures';
/** Small, so that tests have several pages. */
const maxPageKeys = 5;

export async function startFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, StoredObject>();
  const server = createServer((request, response) => {
    void respond(request, response).catch((error: Error) => response.destroy(error));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isFailing = fake.fault !== 'none' && fake.failAfter-- <= 0;
    if (isFailing && fake.fault === 'slow') return;
    if (isFailing && fake.fault.startsWith('503')) {
      if (fake.fault === '503 once') fake.fault = 'none';
      return sendError(response, 503, 'SlowDown');
    }
    if (isFailing && fake.fault === 'half' && request.method === 'PUT') return void request.destroy();
    const body = await buffer(request);
    const url = new URL(request.url ?? '', fake.origin);
    const refusal = findRefusal(request, url, body);
    if (refusal) return sendError(response, ...refusal);
    const [, bucket, ...path] = decodeURIComponent(url.pathname).split('/');
    if (bucket !== bucketName) return sendError(response, 404, 'NoSuchBucket');
    const key = path.join('/');
    const send = (status: number, headers: Record<string, string | number>, content: Buffer | string = '') => {
      response.writeHead(status, { 'content-length': Buffer.byteLength(content), ...headers });
      if (isFailing) response.write(content.slice(0, content.length / 2), () => response.destroy());
      else response.end(request.method === 'HEAD' ? undefined : content);
    };
    if (key === '') return send(200, { 'content-type': 'application/xml' }, list(url.searchParams));
    const source = request.headers['x-amz-copy-source'];
    const found = objects.get(
      source === undefined ? key : decodeURIComponent(String(source)).replace(`/${bucketName}/`, ''),
    );
    if (request.method === 'PUT') {
      if (source !== undefined && !found) return sendError(response, 404, 'NoSuchKey');
      const [content, type = ''] =
        found && source !== undefined ? [found.content, found.type] : [body, request.headers['content-type']];
      objects.set(key, { content, type, writtenAt: new Date() });
      return send(200, {}, source === undefined ? '' : '<CopyObjectResult></CopyObjectResult>');
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return send(204, {});
    }
    if (!found) return sendError(response, 404, 'NoSuchKey', request.method === 'HEAD');
    const range = /^bytes=(\d+)-(\d+)$/u.exec(request.headers.range ?? '');
    const content = range ? found.content.subarray(Number(range[1]), Number(range[2]) + 1) : found.content;
    return send(range ? 206 : 200, { 'content-type': found.type, 'content-length': content.length }, content);
  }

  function list(query: URLSearchParams): string {
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = [...objects.keys()]
      .toSorted()
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
    const page = keys.slice(0, Math.min(Number(query.get('max-keys') ?? maxPageKeys), maxPageKeys));
    const contents = page.map((key) => {
      const { content, writtenAt } = objects.get(key) as StoredObject;
      return `<Contents><Key>${key}</Key><LastModified>${writtenAt.toISOString()}</LastModified><Size>${content.length}</Size></Contents>`;
    });
    const next = page.length < keys.length ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeS3 = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    environment: { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secret },
    fault: 'none',
    failAfter: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

function sendError(response: ServerResponse, status: number, code: string, isHead = false): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(isHead ? undefined : `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const maxSkewMs = 15 * 60 * 1000;

/** Checks a signature as the documentation of Amazon S3 describes it ("Signature Calculations"). */
function findRefusal({ method, headers }: IncomingMessage, url: URL, body: Buffer): [number, string] | null {
  const match =
    /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]+)\/(?<scope>(?<day>\d{8})\/(?<region>[^/]+)\/s3\/aws4_request), SignedHeaders=(?<signed>[^,]+), Signature=(?<signature>[\da-f]{64})$/u.exec(
      headers.authorization ?? '',
    );
  if (!match?.groups) return [403, 'AccessDenied'];
  const { key, scope = '', day = '', region = '', signed = '', signature } = match.groups;
  if (key !== accessKey) return [403, 'InvalidAccessKeyId'];
  const names = signed.split(';');
  const isEverySigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))].every((name) =>
    names.includes(name),
  );
  if (!isEverySigned) return [403, 'AccessDenied'];
  const date = String(headers['x-amz-date']);
  const sentAt = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u, '$1-$2-$3T$4:$5:$6Z'));
  if (!date.startsWith(day) || !(Math.abs(Date.now() - sentAt) < maxSkewMs)) return [403, 'RequestTimeTooSkewed'];
  const digest = String(headers['x-amz-content-sha256']);
  const canonical = [
    method,
    decodeURIComponent(url.pathname).split('/').map(encode).join('/'),
    [...url.searchParams]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .toSorted()
      .join('&'),
    ...names.map((name) => `${name}:${String(headers[name]).trim().replaceAll(/ +/gu, ' ')}`),
    '',
    signed,
    digest,
  ].join('\n');
  const signingKey = ['aws4_request', 's3', region, day].reduceRight<Buffer | string>(
    (previous, text) => hmac(previous, text),
    `AWS4${secret}`,
  );
  const expected = hmac(signingKey, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')).toString('hex');
  if (signature !== expected) return [403, 'SignatureDoesNotMatch'];
  return digest === sha256(body) ? null : [400, 'XAmzContentSHA256Mismatch'];
}
