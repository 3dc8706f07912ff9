import { isIP } from 'node:net';
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { fieldLengths } from '#contract/field-lengths.ts';
import { ConfigError } from './config-error.ts';
import { type ObjectStoreSettings, readObjectStore } from './media-url.ts';

export interface Config {
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Origin of the site as browsers see it, without a trailing slash. */
    readonly publicUrl: string;
    readonly trustProxy: readonly string[];
  };
  /** URL of the PostgreSQL database. Null starts the embedded one. */
  readonly databaseUrl: string | null;
  /** URL of the same database as the owner of the audit log. Null: the operator gives it an owner, or no one. */
  readonly auditDatabaseUrl: string | null;
  /** The same database behind a transaction pooler such as PgBouncer, for requests. Null connects directly. */
  readonly poolerUrl: string | null;
  readonly replicaUrl: string | null;
  readonly workers: number;
  readonly dataDir: string;
  /** Where pictures are stored. Null: in the folder `media` of `dataDir`. */
  readonly objectStore: ObjectStoreSettings | null;
  readonly diskReserveBytes: number;
  readonly mail: { readonly smtpUrl: string | null; readonly from: string };
  readonly browsing: {
    /** Views per account and hour. */
    readonly perHour: { readonly profiles: number; readonly pages: number };
    /** The daily budget, as a multiple of the hourly one. */
    readonly hoursPerDay: number;
    /** The budget of a network address, as a multiple of the budget of an account. */
    readonly addressFactor: number;
    /** Delay in milliseconds of the last request that a budget allows. */
    readonly maxDelayMs: number;
  };
  /** Saves of the profile and the privacy settings per account and hour. Half as many can include a new portrait. */
  readonly savesPerHour: number;
  /** Sign-up mails per hour, for the whole installation. */
  readonly signUpMailsPerHour: number;
  readonly institutionFile: string;
  readonly passwordMin: number;
  readonly tokenSync: TokenSync | null;
  /** The OpenID provider of the university. Null: members sign in here only. */
  readonly campus: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string } | null;
  readonly log: { readonly level: string };
  /** Bearer token for reading `/metrics` from other machines. Null allows only this machine. */
  readonly metricsToken: string | null;
  readonly isProduction: boolean;
}

interface TokenSync {
  /** Destination of the browsers' tokens: a path of this site or the URL of another site. */
  readonly address: string;
  readonly origin: string;
}

const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

const isUrl = (protocols: readonly string[]) => (value: string) =>
  URL.canParse(value) && protocols.includes(new URL(value).protocol);
const addressesIn = (list: string) =>
  list
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);

function isProxy(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

const nonEmpty = z.string().check(z.minLength(1));

const text = (isValid: (value: string) => boolean, message: string) => z.string().check(z.refine(isValid, message));

const databaseUrl = (name: string) =>
  z.optional(
    text(
      isUrl(['postgres:', 'postgresql:']),
      `${name} must look like postgres://user:password@host:5432/database, or be unset.`,
    ),
  );

function wholeNumber(name: string, { min = 1, max = 1_000_000_000, fallback, example = fallback }: Range) {
  const message = `${name} must be a whole number from ${min} to ${max}, e.g. ${name}=${example}.`;
  const isInRange = (value: number) => Number.isSafeInteger(value) && value >= min && value <= max;
  return z._default(z.pipe(z.coerce.number(message), z.number()).check(z.refine(isInRange, message)), fallback);
}

interface Range {
  readonly min?: number;
  readonly max?: number;
  readonly fallback: number;
  readonly example?: number;
}

const Environment = z.object({
  HOST: z._default(nonEmpty, '127.0.0.1'),
  PORT: wholeNumber('PORT', { max: 65_535, fallback: 3000 }),
  PUBLIC_URL: z.optional(
    text(
      (value) => isUrl(['http:', 'https:'])(value) && new URL(value).pathname === '/' && new URL(value).search === '',
      'PUBLIC_URL must be the address of the site without a path, e.g. PUBLIC_URL=https://alumni.example.edu.',
    ),
  ),
  DATABASE_URL: databaseUrl('DATABASE_URL'),
  AUDIT_DATABASE_URL: databaseUrl('AUDIT_DATABASE_URL'),
  DATABASE_POOLER_URL: databaseUrl('DATABASE_POOLER_URL'),
  DATABASE_REPLICA_URL: databaseUrl('DATABASE_REPLICA_URL'),
  WORKERS: wholeNumber('WORKERS', { max: 64, fallback: 1, example: 4 }),
  DATA_DIR: z._default(nonEmpty, './data'),
  MEDIA_URL: z.optional(z.string()),
  DISK_RESERVE: wholeNumber('DISK_RESERVE', { fallback: 512 }),
  SMTP_URL: z.optional(
    text(isUrl(['smtp:', 'smtps:']), 'SMTP_URL must look like smtps://user:password@host:465, or be unset.'),
  ),
  MAIL_FROM: z.optional(
    text(
      (value) => /^[^<>\r\n]*<?[^\s<>@]+@[^\s<>@]+>?$/u.test(value),
      'MAIL_FROM must be an email address, e.g. "Alumni office <alumni@example.edu>".',
    ),
  ),
  BROWSE_PROFILES_PER_HOUR: wholeNumber('BROWSE_PROFILES_PER_HOUR', { fallback: 200 }),
  BROWSE_PAGES_PER_HOUR: wholeNumber('BROWSE_PAGES_PER_HOUR', { fallback: 400 }),
  SAVES_PER_HOUR: wholeNumber('SAVES_PER_HOUR', { fallback: 60 }),
  SIGN_UP_MAILS_PER_HOUR: wholeNumber('SIGN_UP_MAILS_PER_HOUR', { fallback: 500 }),
  INSTITUTION_FILE: z._default(nonEmpty, './institution.json'),
  PASSWORD_MIN: wholeNumber('PASSWORD_MIN', {
    min: fieldLengths.passwordMin,
    max: 64,
    fallback: fieldLengths.passwordMin,
    example: 10,
  }),
  TRUST_PROXY: z._default(
    text(
      (value) => addressesIn(value).every(isProxy),
      'TRUST_PROXY must be the IP addresses of proxies, separated by commas, e.g. TRUST_PROXY=127.0.0.1,10.0.0.0/8.',
    ),
    '',
  ),
  AUTH_TOKEN_SYNC_URL: z.optional(
    text(
      (value) => /^\/(?!\/)/u.test(value) || isUrl(['http:', 'https:'])(value),
      'AUTH_TOKEN_SYNC_URL must be a path such as /session, or a URL such as https://portal.example.edu/session.',
    ),
  ),
  AUTH_TOKEN_SYNC_ALLOW: z._default(
    text(
      (value) => addressesIn(value).every((origin) => URL.canParse(origin) && new URL(origin).origin === origin),
      'AUTH_TOKEN_SYNC_ALLOW must be origins, separated by commas, e.g. AUTH_TOKEN_SYNC_ALLOW=https://portal.example.edu.',
    ),
    '',
  ),
  CAMPUS_ISSUER: z.optional(
    text(
      (value) => isUrl(['http:', 'https:'])(value) && !/[?#]/u.test(value),
      'CAMPUS_ISSUER must be the issuer of an OpenID provider, e.g. CAMPUS_ISSUER=https://login.example.edu/realms/main.',
    ),
  ),
  CAMPUS_CLIENT_ID: z.optional(nonEmpty),
  CAMPUS_CLIENT_SECRET: z.optional(nonEmpty),
  LOG_LEVEL: z.optional(z.enum(logLevels, `LOG_LEVEL must be one of ${logLevels.join(', ')}.`)),
  METRICS_TOKEN: z.optional(
    text(
      (value) => /^[\x21-\x7e]{16,200}$/u.test(value),
      'METRICS_TOKEN must be 16 to 200 printable ASCII characters without spaces, e.g. the output of "openssl rand -hex 24".',
    ),
  ),
  NODE_ENV: z._default(z.string(), ''),
});

/**
 * Reads the settings from environment variables. Empty variables count as unset, because compose files write unset ones
 * this way.
 * @throws ConfigError with one line for each invalid variable
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(present);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(({ message }) => message).join('\n'));
  const env = parsed.data;
  if (env.AUDIT_DATABASE_URL !== undefined && env.DATABASE_URL === undefined)
    throw new ConfigError('AUDIT_DATABASE_URL needs DATABASE_URL. The embedded database needs neither.');
  if (env.DATABASE_POOLER_URL !== undefined && env.DATABASE_URL === undefined) {
    throw new ConfigError(
      'DATABASE_POOLER_URL needs DATABASE_URL, the same database without the pooler, for jobs and notifications.',
    );
  }
  const isProduction = env.NODE_ENV === 'production';
  const publicUrl = new URL(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`);
  return {
    http: {
      host: env.HOST,
      port: env.PORT,
      publicUrl: publicUrl.origin,
      trustProxy: addressesIn(env.TRUST_PROXY),
    },
    databaseUrl: env.DATABASE_URL ?? null,
    auditDatabaseUrl: env.AUDIT_DATABASE_URL ?? null,
    poolerUrl: env.DATABASE_POOLER_URL ?? null,
    replicaUrl: env.DATABASE_REPLICA_URL ?? null,
    workers: env.WORKERS,
    dataDir: resolve(env.DATA_DIR),
    objectStore: env.MEDIA_URL === undefined ? null : readObjectStore(env.MEDIA_URL, environment),
    diskReserveBytes: env.DISK_RESERVE * 1024 * 1024,
    mail: { smtpUrl: env.SMTP_URL ?? null, from: env.MAIL_FROM ?? `archive@${publicUrl.hostname}` },
    browsing: {
      perHour: { profiles: env.BROWSE_PROFILES_PER_HOUR, pages: env.BROWSE_PAGES_PER_HOUR },
      hoursPerDay: 3,
      addressFactor: 10,
      maxDelayMs: 2_000,
    },
    savesPerHour: env.SAVES_PER_HOUR,
    signUpMailsPerHour: env.SIGN_UP_MAILS_PER_HOUR,
    institutionFile: resolve(env.INSTITUTION_FILE),
    passwordMin: env.PASSWORD_MIN,
    tokenSync: readTokenSync(env.AUTH_TOKEN_SYNC_URL, addressesIn(env.AUTH_TOKEN_SYNC_ALLOW), publicUrl.origin),
    campus: readCampus(env, isProduction),
    // Outside production, a start prints only its summary. In production, the log contains requests and audit events.
    log: { level: env.LOG_LEVEL ?? (isProduction ? 'info' : 'warn') },
    metricsToken: env.METRICS_TOKEN ?? null,
    isProduction,
  };
}

const isLoopbackUrl = (url: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);

/**
 * Reads the destination of tokens: this site or an allowed origin, over HTTPS only (D22 in docs/conformance.md).
 * @throws ConfigError
 */
function readTokenSync(address: string | undefined, allowed: readonly string[], own: string): TokenSync | null {
  if (address === undefined) return null;
  const url = new URL(address, own);
  if (url.origin !== own && !allowed.includes(url.origin)) {
    throw new ConfigError(
      `AUTH_TOKEN_SYNC_URL is on another site. If that is intended, set AUTH_TOKEN_SYNC_ALLOW=${url.origin}`,
    );
  }
  if (url.protocol !== 'https:' && !isLoopbackUrl(url)) {
    throw new ConfigError(
      'AUTH_TOKEN_SYNC_URL must start with https, because anyone who intercepts a token could use it.',
    );
  }
  return { address, origin: url.origin };
}

/** @throws ConfigError if a setting is missing, or the provider could be impersonated */
function readCampus(
  {
    CAMPUS_ISSUER: issuer,
    CAMPUS_CLIENT_ID: clientId,
    CAMPUS_CLIENT_SECRET: clientSecret,
  }: z.infer<typeof Environment>,
  isProduction: boolean,
): Config['campus'] {
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return null;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined)
    throw new ConfigError('Set all of CAMPUS_ISSUER, CAMPUS_CLIENT_ID and CAMPUS_CLIENT_SECRET, or none of them.');
  const url = new URL(issuer);
  if (url.protocol !== 'https:' && (isProduction || !isLoopbackUrl(url)))
    throw new ConfigError('CAMPUS_ISSUER must start with https, because anyone could answer in its place otherwise.');
  return { issuer, clientId, clientSecret };
}

/** Returns whether the public address is this machine. Only then may a page show the mails of the outbox. */
export const isLocal = ({ http }: Pick<Config, 'http'>): boolean => isLoopbackUrl(new URL(http.publicUrl));
