import { ConfigError } from './config-error.ts';

/** The bucket of an object store with the S3 API, and how to sign requests to it. */
export interface ObjectStoreSettings {
  /** `MEDIA_URL` without its parameters, for messages. */
  readonly location: string;
  readonly bucket: string;
  /** URL of the bucket, without a trailing slash. */
  readonly bucketUrl: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

const example = 's3://bucket/prefix?endpoint=https://storage.example.edu';

/**
 * Reads the address of an object store such as `s3://bucket/prefix?endpoint=https://…`, and the credentials in the
 * environment. Without an endpoint, it is Amazon S3.
 * @param name the setting or option, for messages
 * @throws ConfigError
 */
export function readObjectStore(
  value: string,
  environment: NodeJS.ProcessEnv,
  name = 'MEDIA_URL',
): ObjectStoreSettings {
  const url = URL.canParse(value) ? new URL(value) : null;
  const bucket = url?.hostname ?? '';
  const prefix = url?.pathname.replaceAll(/^\/+|\/+$/gu, '') ?? '';
  const endpoint = url?.searchParams.get('endpoint') ?? null;
  const unknown = [...(url?.searchParams.keys() ?? [])].find((key) => key !== 'endpoint');
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u.test(bucket) || url.username !== '')
    throw new ConfigError(`${name} must look like ${example}.`);
  if (!/^[\w./-]*$/u.test(prefix))
    throw new ConfigError(`The prefix in ${name} can only contain letters, digits and . _ - /, such as ${example}.`);
  if (unknown !== undefined)
    throw new ConfigError(
      `${name} has the unknown parameter "${unknown}". It can only have an endpoint, e.g. ${example}.`,
    );
  if (endpoint !== null && !/^https?:\/\/[^/?#@]+\/?$/u.test(endpoint))
    throw new ConfigError(`The endpoint in ${name} must be an address without a path, e.g. ${example}.`);
  const missing = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', ...(endpoint === null ? ['AWS_REGION'] : [])].filter(
    (variable) => !environment[variable],
  );
  if (missing.length > 0) throw new ConfigError(`${name} needs ${missing.join(' and ')} in the environment.`);
  const region = environment['AWS_REGION'] || 'us-east-1';
  return {
    location: `s3://${bucket}/${prefix}`,
    bucket,
    bucketUrl:
      endpoint === null ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint.replace(/\/$/u, '')}/${bucket}`,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId: environment['AWS_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: environment['AWS_SECRET_ACCESS_KEY'] ?? '',
    sessionToken: environment['AWS_SESSION_TOKEN'] || undefined,
  };
}
