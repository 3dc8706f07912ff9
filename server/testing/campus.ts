import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CampusArrival } from '#contract/campus.ts';
import type { Institution } from '#contract/institution.ts';
import { type CampusIdentity, createCampusCookie } from '#server/domain/campus-arrival.ts';
import type { TestArchive } from './archive.ts';
import type { Device } from './device.ts';

export type Claims = Record<string, unknown>;

type CampusSettings = Partial<NonNullable<Institution['campusSignOn']>>;

export const campusDomain = 'oue.edu.ng';

/**
 * Returns the environment of an archive with campus sign-on, with the institution in a file, and a function that
 * deletes the file.
 */
export function writeCampusSettings(
  issuer: string,
  campusSignOn: CampusSettings = {},
  institution: Partial<Institution> = {},
): { readonly environment: NodeJS.ProcessEnv; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'institution-'));
  const file = join(folder, 'institution.json');
  const usual = JSON.parse(readFileSync('institution.json', 'utf8')) as Pick<Institution, 'acceptedEvidence'>;
  const settings = {
    ...usual,
    acceptedEvidence: [...usual.acceptedEvidence, 'campus-sign-on'],
    ...institution,
    campusSignOn: { domains: [campusDomain], ...campusSignOn },
  };
  writeFileSync(file, JSON.stringify(settings));
  return {
    environment: {
      INSTITUTION_FILE: file,
      CAMPUS_ISSUER: issuer,
      CAMPUS_CLIENT_ID: 'archive',
      CAMPUS_CLIENT_SECRET: 'a secret of the archive',
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

export interface Person extends Claims {
  readonly sub: string;
}

let people = 0;

/** Returns the claims of a person with a confirmed address. */
export function createPerson(more: Claims = {}): Person {
  people++;
  return {
    sub: `person-${people}`,
    email: `person${people}@${campusDomain}`,
    email_verified: true,
    given_name: 'Ada',
    family_name: 'Okafor',
    ...more,
  };
}

/** What a hostile or broken provider changes in its next answer. */
export interface Faults {
  readonly header?: { readonly alg?: string; readonly kid?: string };
  readonly isOtherKey?: boolean;
  /** Undefined values remove the claim. */
  readonly claims?: Claims;
  /** The claims of UserInfo. Without it, there are none. */
  readonly userInfo?: Claims;
  /** Length of a further value in the answer of the token endpoint. */
  readonly paddingBytes?: number;
  readonly tokenResponse?: (response: ServerResponse) => void;
}

export interface TestIssuer {
  readonly issuer: string;
  /** Number of requests by path. */
  readonly requests: Map<string, number>;
  /** Values that override the metadata. */
  metadata: Claims;
  isDown: (path: string) => boolean;
  isHanging: (path: string) => boolean;
  /** Who can sign in on the page of the provider, by label. */
  people: Readonly<Record<string, Person>>;
  clientSecret: string;
  rotateKey(): Promise<void>;
  /** Returns the query of the callback, as the provider of a person who consented to this request. */
  authorize(url: string, person: Person, faults?: Faults): URLSearchParams;
  close(): Promise<void>;
}

interface Grant {
  readonly person: Person;
  readonly faults: Faults;
  readonly params: URLSearchParams;
}

/** Starts a small OpenID provider, whose responses a test can falsify. */
export async function openIssuer(port = 0): Promise<TestIssuer> {
  const keys = { current: await generateKeyPair('ES256'), other: await generateKeyPair('ES256'), id: 'first' };
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Grant>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const self: TestIssuer = {
    issuer,
    requests: new Map(),
    metadata: {},
    isDown: () => false,
    isHanging: () => false,
    people: {},
    clientSecret: 'a secret of the archive',
    rotateKey: async () => {
      keys.current = await generateKeyPair('ES256');
      keys.id = randomUUID();
    },
    authorize: (url, person, faults = {}) => {
      const params = new URL(url).searchParams;
      const code = randomUUID();
      grants.set(code, { person, faults, params });
      return new URLSearchParams({ code, state: params.get('state') ?? '', iss: issuer });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    const { pathname } = url;
    self.requests.set(pathname, (self.requests.get(pathname) ?? 0) + 1);
    const send = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (self.isDown(pathname)) return void response.destroy();
    if (self.isHanging(pathname)) return;
    if (pathname === '/.well-known/openid-configuration')
      return void send({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        ...self.metadata,
      });
    if (pathname === '/authorize') return showPeople(url, response);
    if (pathname === '/jwks') {
      const jwk = await exportJWK(keys.current.publicKey);
      return void send({ keys: [{ ...jwk, kid: keys.id, alg: 'ES256', use: 'sig' }] });
    }
    if (pathname === '/userinfo') {
      const grant = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
      return void send({ sub: grant?.person.sub, ...grant?.faults.userInfo });
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const form = new URLSearchParams(body);
    const basic = Buffer.from(request.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    const isBasic = JSON.stringify(self.metadata['token_endpoint_auth_methods_supported'])?.includes('basic');
    const secret = isBasic
      ? new URLSearchParams(`secret=${basic.split(':')[1] ?? ''}`).get('secret')
      : form.get('client_secret');
    if (secret !== self.clientSecret) return void send({ error: 'invalid_client' }, 401);
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!grant || challenge !== grant.params.get('code_challenge')) return void send({ error: 'invalid_grant' }, 400);
    if (grant.faults.tokenResponse) return grant.faults.tokenResponse(response);
    const padding = 'x'.repeat(grant.faults.paddingBytes ?? 0);
    const accessToken = randomUUID();
    tokens.set(accessToken, grant);
    return void send({ access_token: accessToken, token_type: 'Bearer', id_token: await sign(grant), padding });
  }

  /** The page on which a person signs in, without a password. */
  function showPeople(url: URL, response: ServerResponse): void {
    const label = url.searchParams.get('person');
    const person = self.people[label ?? ''];
    if (label === null) {
      const links = [...Object.keys(self.people), 'Cancel'].map((name) => {
        const target = new URL(url);
        target.searchParams.set('person', name);
        return `<li><a href="${target.href.replaceAll('&', '&amp;')}">${name}</a></li>`;
      });
      const head =
        '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Campus</title>';
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      return void response.end(`${head}<h1>Sign in to your campus account</h1><ul>${links.join('')}</ul></html>`);
    }
    const cancelled = { error: 'access_denied', state: url.searchParams.get('state') ?? '', iss: issuer };
    const query = person ? self.authorize(url.href, person) : new URLSearchParams(cancelled);
    response.writeHead(303, { location: `${url.searchParams.get('redirect_uri')}?${query}` }).end();
  }

  async function sign({ person, faults, params }: Grant): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...person,
      iss: issuer,
      aud: params.get('client_id'),
      nonce: params.get('nonce'),
      iat: now,
      exp: now + 300,
      ...faults.claims,
    };
    const header = { alg: 'ES256', kid: keys.id, ...faults.header };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    if (header.alg === 'none') return `${encode(header)}.${encode(claims)}.`;
    const secret = Buffer.from(self.clientSecret.padEnd(32));
    const key = header.alg === 'HS256' ? secret : (faults.isOtherKey ? keys.other : keys.current).privateKey;
    // `SignJWT` checks registered claims, so the hostile ones are put in afterwards.
    return new SignJWT(JSON.parse(JSON.stringify(claims)) as Claims).setProtectedHeader(header).sign(key);
  }

  return self;
}

/** Opens a sign-in in a browser. @returns the URL of the provider */
export async function startCampus(device: Device, query = ''): Promise<string> {
  const { headers } = await device.fetch('GET', `/auth/campus${query}`);
  return String(headers.location);
}

/** Goes to the provider as a person and back. @returns where the browser is then */
export async function comeFromCampus(
  device: Device,
  issuer: TestIssuer,
  person: Person,
  { faults = {}, query = '' }: { readonly faults?: Faults; readonly query?: string } = {},
): Promise<string> {
  const params = issuer.authorize(await startCampus(device, query), person, faults);
  const { headers } = await device.fetch('GET', `/auth/campus/callback?${params}`);
  return String(headers.location);
}

/** Puts an answer of the provider into a browser, as the callback does. */
export async function putArrival(
  { context }: Pick<TestArchive, 'context'>,
  device: Device,
  identity: Omit<CampusIdentity, 'issuer'>,
): Promise<void> {
  const { issuer = '' } = context.config.campus ?? {};
  let value = '';
  const reply = { setCookie: (_: string, text: string) => void (value = text) };
  await createCampusCookie(context.config).write(reply as never, { from: null, identity: { issuer, ...identity } });
  device.cookies.set('campus', value);
}

export const readArrival = (device: Device): Promise<CampusArrival> => device.call('GET /api/identity/campus/arrival');

/** Signs in with the password, so that the session is recent. */
export async function signIn(
  archive: TestArchive,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Device> {
  const device = archive.openDevice();
  await device.call('POST /api/identity/sign-in', { body: { email, password } });
  return device;
}
