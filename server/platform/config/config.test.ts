import { describe, expect, test } from 'vitest';
import { ConfigError } from './config-error.ts';
import { isLocal, readConfig } from './config.ts';

const campus = {
  CAMPUS_ISSUER: 'https://login.example.edu',
  CAMPUS_CLIENT_ID: 'archive',
  CAMPUS_CLIENT_SECRET: 'secret',
};

describe('readConfig', () => {
  test('defaults to localhost, the embedded PostgreSQL and the outbox', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      http: { host: '127.0.0.1', port: 3000, publicUrl: 'http://localhost:3000', trustProxy: [] },
      databaseUrl: null,
      mail: { smtpUrl: null, from: 'archive@localhost' },
      passwordMin: 6,
      isProduction: false,
    });
    expect(isLocal(config)).toBe(true);
  });

  test.each([
    [{ CAMPUS_ISSUER: 'https://login.example.edu' }, 'Set all of CAMPUS_ISSUER'],
    [{ CAMPUS_CLIENT_ID: 'x', CAMPUS_CLIENT_SECRET: 'x' }, 'Set all of CAMPUS_ISSUER'],
    [{ ...campus, CAMPUS_ISSUER: 'http://login.example.edu' }, 'CAMPUS_ISSUER must start with https'],
    [{ ...campus, CAMPUS_ISSUER: 'http://127.0.0.1', NODE_ENV: 'production' }, 'CAMPUS_ISSUER must start with https'],
    [{ ...campus, CAMPUS_ISSUER: 'https://login.example.edu?x' }, 'CAMPUS_ISSUER must be the issuer'],
    [{ ...campus, CAMPUS_ISSUER: 'login' }, 'CAMPUS_ISSUER must be the issuer'],
  ])('refuses incomplete or unsafe settings of campus sign-on with one sentence: %j', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message);
    expect(() => readConfig(environment)).not.toThrow(/\n/u);
  });

  test('reads the settings of campus sign-on', () => {
    expect(readConfig({}).campus).toBeNull();
    const settings = { issuer: 'https://login.example.edu', clientId: 'archive', clientSecret: 'secret' };
    expect(readConfig(campus).campus).toEqual(settings);
    expect(readConfig({ ...campus, CAMPUS_ISSUER: 'http://127.0.0.1:9' }).campus?.issuer).toBe('http://127.0.0.1:9');
  });

  test('reads every variable', () => {
    const config = readConfig({
      PORT: '8080',
      HOST: '0.0.0.0',
      PUBLIC_URL: 'https://alumni.example.edu/',
      DATABASE_URL: 'postgres://u:p@db:5432/archive',
      AUDIT_DATABASE_URL: 'postgres://a:p@db:5432/archive',
      DATABASE_POOLER_URL: 'postgres://u:p@pooler:6432/archive',
      DATABASE_REPLICA_URL: 'postgres://u:p@replica:5432/archive',
      WORKERS: '4',
      DATA_DIR: '/srv/data',
      SMTP_URL: 'smtps://u:p@mail:465',
      MAIL_FROM: 'Alumni office <alumni@example.edu>',
      TRUST_PROXY: '10.0.0.1, 10.0.0.2',
      PASSWORD_MIN: '12',
      LOG_LEVEL: 'debug',
      NODE_ENV: 'production',
    });
    expect(config).toMatchObject({
      http: {
        host: '0.0.0.0',
        port: 8080,
        publicUrl: 'https://alumni.example.edu',
        trustProxy: ['10.0.0.1', '10.0.0.2'],
      },
      databaseUrl: 'postgres://u:p@db:5432/archive',
      auditDatabaseUrl: 'postgres://a:p@db:5432/archive',
      poolerUrl: 'postgres://u:p@pooler:6432/archive',
      replicaUrl: 'postgres://u:p@replica:5432/archive',
      workers: 4,
      dataDir: '/srv/data',
      mail: { smtpUrl: 'smtps://u:p@mail:465', from: 'Alumni office <alumni@example.edu>' },
      passwordMin: 12,
      log: { level: 'debug' },
      isProduction: true,
    });
    expect(isLocal(config)).toBe(false);
  });

  test.for<[string, NodeJS.ProcessEnv, string]>([
    [
      'https://storage.example.edu/bucket',
      {},
      'MEDIA_URL must look like s3://bucket/prefix?endpoint=https://storage.example.edu.',
    ],
    ['s3://bucket?endpoint=storage.example.edu', {}, 'The endpoint in MEDIA_URL must be an address without a path'],
    ['s3://bucket?region=eu', {}, 'MEDIA_URL has the unknown parameter "region". It can only have an endpoint'],
    ['s3://bucket/a%20b', {}, 'The prefix in MEDIA_URL can only contain letters, digits and . _ - /'],
    [
      's3://bucket',
      { AWS_ACCESS_KEY_ID: 'key' },
      'MEDIA_URL needs AWS_SECRET_ACCESS_KEY and AWS_REGION in the environment.',
    ],
    [
      's3://bucket?endpoint=https://storage.example.edu',
      {},
      'MEDIA_URL needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.',
    ],
  ])('rejects MEDIA_URL=%s', ([url, environment, message]) => {
    expect(() => readConfig({ ...environment, MEDIA_URL: url })).toThrow(message);
  });

  test('reads MEDIA_URL of another store, and of Amazon S3', () => {
    const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(
      readConfig({ ...keys, MEDIA_URL: 's3://bucket/a/b/?endpoint=https://storage.example.edu:9000' }).objectStore,
    ).toMatchObject({
      location: 's3://bucket/a/b',
      bucketUrl: 'https://storage.example.edu:9000/bucket',
      prefix: 'a/b/',
      region: 'us-east-1',
    });
    expect(readConfig({ ...keys, AWS_REGION: 'eu-west-1', MEDIA_URL: 's3://bucket' }).objectStore).toMatchObject({
      bucketUrl: 'https://bucket.s3.eu-west-1.amazonaws.com',
      prefix: '',
      region: 'eu-west-1',
    });
  });

  test('treats empty variables as unset', () => {
    expect(readConfig({ PORT: '', DATABASE_URL: '', SMTP_URL: '' })).toMatchObject({
      http: { port: 3000 },
      databaseUrl: null,
    });
  });

  for (const [name, value, advice, tags = []] of [
    ['PORT', 'three thousand', 'PORT=3000'],
    ['PORT', '0', 'PORT=3000'],
    ['PUBLIC_URL', 'alumni.example.edu', 'https://alumni.example.edu'],
    ['PUBLIC_URL', 'https://example.edu/alumni', 'without a path', ['asvs-3.5.4']],
    ['DATABASE_URL', 'mysql://localhost/x', 'postgres://user:password@host:5432/database'],
    ['DATABASE_REPLICA_URL', 'replica', 'DATABASE_REPLICA_URL must look like postgres://'],
    ['DATABASE_POOLER_URL', 'postgres://pooler/archive', 'needs DATABASE_URL'],
    ['AUDIT_DATABASE_URL', 'postgres://audit@db/archive', 'needs DATABASE_URL'],
    ['WORKERS', '0', 'WORKERS=4'],
    ['WORKERS', 'all', 'WORKERS=4'],
    ['BROWSE_PAGES_PER_HOUR', '1e12', 'a whole number from 1 to 1000000000, e.g. BROWSE_PAGES_PER_HOUR=400'],
    ['SAVES_PER_HOUR', '0', 'SAVES_PER_HOUR=60'],
    ['DISK_RESERVE', '1.5', 'DISK_RESERVE=512'],
    ['PASSWORD_MIN', '5', 'PASSWORD_MIN=10'],
    ['PASSWORD_MIN', '65', 'PASSWORD_MIN=10'],
    ['PASSWORD_MIN', 'long', 'PASSWORD_MIN=10'],
    ['SMTP_URL', 'mail.example.edu', 'smtps://user:password@host:465'],
    ['MAIL_FROM', 'the office', 'alumni@example.edu'],
    ['LOG_LEVEL', 'loud', 'info'],
    ['AUTH_TOKEN_SYNC_URL', '//portal.example.edu/session', 'a path such as /session'],
    ['AUTH_TOKEN_SYNC_URL', 'https://portal.example.edu/session', 'AUTH_TOKEN_SYNC_ALLOW=https://portal.example.edu'],
    ['AUTH_TOKEN_SYNC_ALLOW', 'portal.example.edu', 'AUTH_TOKEN_SYNC_ALLOW=https://portal.example.edu'],
    ['TRUST_PROXY', 'true', 'TRUST_PROXY=127.0.0.1', ['asvs-4.1.3']],
    ['TRUST_PROXY', '127.0.0.1 10.0.0.1', 'separated by commas'],
    ['TRUST_PROXY', '10.0.0.0/33', '10.0.0.0/8'],
    ['TRUST_PROXY', '127.0.0.1,proxy.example.edu', 'IP addresses of proxies'],
  ] as [string, string, string, string[]?][])
    test(`refuses ${name}=${value} and states which values are valid`, { tags }, () => {
      expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
      expect(() => readConfig({ [name]: value })).toThrow(name);
      expect(() => readConfig({ [name]: value })).toThrow(advice);
    });

  test('accepts IP addresses, networks and their names as proxies', { tags: ['asvs-4.1.3', 'asvs-15.3.4'] }, () => {
    expect(readConfig({ TRUST_PROXY: '::1, 10.0.0.0/8,fd00::/8 ,loopback' }).http.trustProxy).toEqual([
      '::1',
      '10.0.0.0/8',
      'fd00::/8',
      'loopback',
    ]);
  });

  test(
    'accepts token URLs of this site, and HTTPS URLs of allowed origins',
    { tags: ['asvs-9.2.3', 'asvs-13.2.4'] },
    () => {
      const read = (address: string, allow = '', own = 'https://alumni.example.edu') =>
        readConfig({ PUBLIC_URL: own, AUTH_TOKEN_SYNC_URL: address, AUTH_TOKEN_SYNC_ALLOW: allow }).tokenSync;
      expect(readConfig({}).tokenSync).toBeNull();
      expect(read('/session')).toEqual({ address: '/session', origin: 'https://alumni.example.edu' });
      const portal = 'https://portal.example.edu';
      expect(read(`${portal}/session`, portal)).toEqual({ address: `${portal}/session`, origin: portal });
      expect(() => read(`${portal}/session`, 'https://other.example.edu')).toThrow(ConfigError);
      expect(() => read('http://portal.example.edu/session', 'http://portal.example.edu')).toThrow('https');
      expect(() => read('/session', '', 'http://alumni.example.edu')).toThrow('https');
      expect(read('http://localhost:9/x', 'http://localhost:9', 'http://localhost:3000')?.origin).toBe(
        'http://localhost:9',
      );
    },
  );

  test('reports all invalid variables in one error', () => {
    expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT[^]*LOG_LEVEL/u);
  });
});
