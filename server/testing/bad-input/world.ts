import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { sql } from 'kysely';
import { type ProfileDocument, toDocument } from '#contract/profile.ts';
import type { CreationOptions, RequestOptions } from '#contract/second-factor.ts';
import { termsVersion } from '#contract/terms.ts';
import type { Db } from '#server/db/client.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { type TestArchive, smallPicture } from '../archive.ts';
import { SoftPasskey } from '../passkey.ts';
import { computeAppCode, decodeSecret } from '../second-factor.ts';
import { makeStaff } from '../staff.ts';
import { planted } from './hostile.ts';
import type { Route } from './routes.ts';

/**
 * Kinds of senders. `staff` is an owner, `fresh` is unverified, `verified` has no profile, and `half` still needs the
 * second factor.
 */
export const callerKinds = ['guest', 'member', 'verified', 'fresh', 'half', 'staff'] as const;
export type CallerKind = (typeof callerKinds)[number];

interface Person {
  uid: string;
  email: string;
  cookie: string;
}

export interface ValidInput {
  readonly cookie: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

export interface World {
  markAllDirty(): void;
  prepareInput(route: Route, caller: CallerKind, variant: number): Promise<ValidInput>;
  recordResponse(route: Route, caller: CallerKind, status: number): void;
  readonly secrets: ReadonlySet<string>;
}

export const origin = 'http://localhost:3000';

export const environmentForBadInput: NodeJS.ProcessEnv = {
  SMTP_URL: undefined,
  AUTH_TOKEN_SYNC_URL: 'https://portal.example.edu/session',
  AUTH_TOKEN_SYNC_ALLOW: 'https://portal.example.edu',
  TRUST_PROXY: '127.0.0.1',
};

const resetTables = [
  'sessions',
  'authenticators',
  'recovery_codes',
  'passkeys',
  'held_addresses',
  'blocks',
  'staff_roles',
];

/** Number of requests after which rate limits are reset, because refused requests test nothing else. */
const requestsPerThrottleReset = 15;

export async function openWorld(archive: TestArchive, lane: number): Promise<World> {
  const { app, context, pool } = archive;
  const random = createRandom(lane + 1);
  const picture = await smallPicture();
  const passwordHash = await context.passwordHasher.hash(planted.password);
  const secrets = new Set<string>();
  const dirty = new Set<CallerKind>(callerKinds);
  let sent = 0;
  let addresses = 0;
  let mail = 'none';

  const nextAddress = () => `${planted.address}-${lane}-${++addresses}@mail.example`;
  const recordSecret = (text: string) => {
    secrets.add(text);
    return text;
  };

  async function ask(method: string, url: string, cookie: string, body?: unknown): Promise<LightMyRequestResponse> {
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { origin, cookie },
      ...(body !== undefined && { payload: body as object }),
    });
    if (answer.statusCode >= 400)
      throw new Error(`Preparing a request failed: ${method} ${url} returned ${answer.statusCode} ${answer.body}`);
    return answer;
  }

  async function createAccount(isVerified: boolean): Promise<Person> {
    const email = nextAddress();
    const { rows } = await pool.query<{ id: string }>(
      `insert into accounts (email, email_verified, password_hash, terms_version, terms_accepted_at)
       values ($1, $2, $3, $4, now()) returning id`,
      [email, isVerified, passwordHash, termsVersion],
    );
    const person = { uid: rows[0]?.id ?? '', email, cookie: '' };
    await signIn(person);
    return person;
  }

  async function signIn(person: Person, db: Db = context.db): Promise<void> {
    const { token, hash } = newToken();
    await sql`insert into sessions (token_hash, account_id, user_agent, expires_at)
      values (${hash}, ${person.uid}, 'A browser', now() + interval '30 days')`.execute(db);
    person.cookie = `sid=${recordSecret(token)}`;
  }

  const inventDocument = (imgURL: string | null): ProfileDocument => ({
    ...toDocument({ ...inventPerson(random, context.institution, new Date().getUTCFullYear()), imgURL }),
    version: 'any',
  });

  async function createMember(): Promise<Person> {
    const person = await createAccount(true);
    await ask('PUT', `/api/users/${person.uid}`, person.cookie, inventDocument(picture));
    return person;
  }

  async function resetAccount(person: Person, isVerified: boolean, create: () => Promise<Person>): Promise<Person> {
    // The transaction locks the account, so that a pending deletion cannot run before the account is reset.
    const exists = await context.db.transaction().execute(async (tx) => {
      const { numAffectedRows } = await sql`update accounts set email = ${person.email}, email_verified = ${isVerified},
        pending_email = null, password_hash = ${passwordHash}, takes_messages = true, disabled_at = null,
        deletes_at = null, suspended_until = null where id = ${person.uid}`.execute(tx);
      if (numAffectedRows === 0n) return false;
      for (const table of resetTables)
        await sql`delete from ${sql.table(table)} where account_id = ${person.uid}`.execute(tx);
      await signIn(person, tx);
      return true;
    });
    return exists ? person : create();
  }

  async function createOwner(): Promise<Person> {
    const person = await createMember();
    await makeStaff(archive, person, 'owner');
    return person;
  }

  const people = {
    member: await createMember(),
    verified: await createAccount(true),
    fresh: await createAccount(false),
    half: await createMember(),
    staff: await createOwner(),
    neighbour: await createMember(),
  };
  let factors = await addFactors(people.half);
  let photo = await addPhoto();

  async function addFactors(person: Person) {
    await pool.query('delete from throttles; delete from long_throttles');
    const { secret: typed } = (await ask('POST', '/api/identity/authenticator', person.cookie)).json<{
      secret: string;
    }>();
    const app32 = decodeSecret(recordSecret(typed));
    const confirmed = await ask('POST', '/api/identity/authenticator/confirm', person.cookie, {
      code: computeAppCode(app32),
    });
    const { recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>();
    for (const code of recoveryCodes) recordSecret(code);
    const passkey = new SoftPasskey();
    const options = (await ask('POST', '/api/identity/passkeys/options', person.cookie)).json<CreationOptions>();
    await ask('POST', '/api/identity/passkeys', person.cookie, { name: 'My phone', passkey: passkey.create(options) });
    return { app32, recoveryCodes, passkey };
  }

  async function addPhoto(): Promise<{ id: string; thumb: string }> {
    const answer = await ask('POST', '/api/gallery/photos', people.member.cookie, {
      title: 'Matriculation',
      album: 'The first week',
      audience: 'everyone',
      image: picture,
    });
    return answer.json();
  }

  async function restore(caller: CallerKind): Promise<void> {
    if (!dirty.delete(caller)) return;
    switch (caller) {
      case 'guest':
        break;
      case 'member':
        people.member = await resetAccount(people.member, true, createMember);
        break;
      case 'verified':
        people.verified = await resetAccount(people.verified, true, () => createAccount(true));
        break;
      case 'fresh':
        people.fresh = await resetAccount(people.fresh, false, () => createAccount(false));
        break;
      case 'half':
        people.half = await resetAccount(people.half, true, createMember);
        factors = await addFactors(people.half);
        break;
      case 'staff':
        people.staff = await resetAccount(people.staff, true, createMember);
        await makeStaff(archive, people.staff, 'owner');
        break;
    }
  }

  async function createActionCode(mode: string, person: Person, email = person.email): Promise<string> {
    const { token, hash } = newToken();
    await pool.query(
      `insert into action_codes (code_hash, mode, account_id, email, expires_at) values ($1, $2, $3, $4, now() + interval '1 hour')`,
      [hash, mode, person.uid, email],
    );
    return recordSecret(token);
  }

  async function createPendingSignIn(): Promise<string> {
    const { token, hash } = newToken();
    await pool.query(
      `insert into pending_sign_ins (token_hash, account_id, expires_at) values ($1, $2, now() + interval '5 minutes')`,
      [hash, people.half.uid],
    );
    await pool.query('update authenticators set last_step = 0 where account_id = $1', [people.half.uid]);
    return `pending=${recordSecret(token)}`;
  }

  async function createReportCode(): Promise<string> {
    const { token, hash } = newToken();
    const { rows } = await pool.query<{ id: string }>(
      'insert into messages (id, sender_id, recipient_id, report_hashes) values ($1, $2, $3, array[$4::bytea]) returning id',
      [randomUUID(), people.neighbour.uid, people.member.uid, hash],
    );
    return recordSecret(`${rows[0]?.id}.${token}`);
  }

  const findPicture = async ({ uid }: Person): Promise<string> => {
    const { rows } = await pool.query<{ picture: string | null }>(
      'select picture from profiles where account_id = $1',
      [uid],
    );
    return rows[0]?.picture ?? 'none';
  };

  async function runPeriodicWork(): Promise<void> {
    if (sent++ % requestsPerThrottleReset === 0) await pool.query('delete from throttles; delete from long_throttles');
    if (sent % 500 !== 20) return;
    // Some calls require a recently entered password.
    await pool.query('update sessions set authenticated_at = now()');
    if (lane === 0) await archive.runJobs();
    // Sends the queued mails. The outbox keeps only the last one.
    const outbox = join(context.config.dataDir, 'outbox');
    const names = (await readdir(outbox).catch(() => [])).toSorted((one, other) => (one < other ? -1 : 1));
    mail = names.at(-1)?.replace('.json', '') ?? mail;
    if (lane === 0) for (const name of names.slice(0, -1)) await rm(join(outbox, name), { force: true });
  }

  async function prepareSpecialInput(
    route: Route,
    caller: CallerKind,
    person: Person | null,
    variant: number,
  ): Promise<Partial<ValidInput>> {
    const cookie = person?.cookie ?? '';
    const isFull = caller === 'member' || caller === 'verified';
    switch (route.name) {
      case 'POST /api/identity/action-code/check':
      case 'POST /api/identity/action-code/apply': {
        const modes = ['verifyEmail', 'recoverEmail', 'verifyAndChangeEmail', 'verifyEmail'] as const;
        const mode = modes[variant % modes.length] ?? 'verifyEmail';
        const whose = mode === 'verifyEmail' ? people.fresh : people.verified;
        dirty.add(mode === 'verifyEmail' ? 'fresh' : 'verified');
        const email = mode === 'verifyEmail' ? whose.email : nextAddress();
        if (mode === 'verifyAndChangeEmail')
          await pool.query('update accounts set pending_email = $2 where id = $1', [whose.uid, email]);
        return { values: { code: await createActionCode(mode, whose, email) } };
      }
      case 'POST /api/identity/password-reset/confirm':
        dirty.add('verified');
        return { values: { code: await createActionCode('resetPassword', people.verified) } };
      case 'POST /api/reports/check':
      case 'POST /api/reports':
        return { values: { code: await createReportCode() } };
      case 'GET /verify-email-address':
      case 'GET /recover-email':
      case 'GET /new-password':
      case 'GET /auth/verify':
      case 'GET /auth/action': {
        const code = await createActionCode('resetPassword', people.verified);
        return { values: { actionCode: code, oobCode: code, mode: 'resetPassword' } };
      }
      case 'POST /api/identity/sign-in':
        return { values: { email: people[variant % 2 === 0 ? 'verified' : 'half'].email } };
      case 'POST /api/identity/authenticator/confirm': {
        if (!isFull) return {};
        dirty.add(caller);
        const answer = (await ask('POST', '/api/identity/authenticator', cookie)).json<{ secret: string }>();
        return { values: { code: computeAppCode(decodeSecret(recordSecret(answer.secret))) } };
      }
      case 'DELETE /api/identity/authenticator':
      case 'POST /api/identity/recovery-codes':
        if (isFull) await addFactors(person ?? people.member);
        dirty.add(caller);
        return {};
      case 'POST /api/identity/passkeys': {
        if (!isFull) return {};
        const options = (await ask('POST', '/api/identity/passkeys/options', cookie)).json<CreationOptions>();
        return { values: { name: 'My phone', passkey: new SoftPasskey().create(options) } };
      }
      case 'DELETE /api/identity/passkeys/{id}': {
        if (!isFull) return {};
        await addFactors(person ?? people.member);
        dirty.add(caller);
        const { rows } = await pool.query<{ id: string }>('select id from passkeys where account_id = $1', [
          person?.uid,
        ]);
        return { values: { id: rows[0]?.id } };
      }
      case 'DELETE /api/identity/sessions/{id}': {
        const { rows } = await pool.query<{ id: string }>('select id from sessions where account_id = $1', [
          person?.uid ?? people.member.uid,
        ]);
        return { values: { id: rows[0]?.id } };
      }
      case 'GET /api/identity/sign-in/second-factor':
      case 'POST /api/identity/sign-in/second-factor/options':
        return { cookie: await createPendingSignIn() };
      case 'POST /api/identity/sign-in/second-factor': {
        const pending = await createPendingSignIn();
        if (variant % 3 === 0) return { cookie: pending, body: { code: computeAppCode(factors.app32) } };
        if (variant % 3 === 1) {
          dirty.add('half');
          return { cookie: pending, body: { recoveryCode: factors.recoveryCodes.pop() } };
        }
        const options = (
          await ask('POST', '/api/identity/sign-in/second-factor/options', pending)
        ).json<RequestOptions>();
        return { cookie: pending, body: { passkey: factors.passkey.get(options) } };
      }
      case 'POST /api/identity/sign-in/passkey': {
        const answer = await ask('POST', '/api/identity/sign-in/passkey/options', cookie);
        const browser = answer.cookies.map(({ name, value }) => `${name}=${recordSecret(value)}`).join('; ');
        return { cookie: browser, values: { passkey: factors.passkey.get(answer.json<RequestOptions>()) } };
      }
      case 'PUT /api/users/{id}': {
        const imgURL =
          caller === 'member' && variant % 8 !== 0 ? `/media/${await findPicture(people.member)}/384.webp` : picture;
        return { body: inventDocument(variant % 31 === 5 ? null : imgURL) };
      }
      case 'PUT /api/users/{id}/career':
        return {
          body: {
            positions: [{ role: 'Teacher', employer: 'Shell', field: 'education', from: 2001, to: null }],
            city: 'Lagos',
            cityId: null,
            country: 'NG',
            helps: [],
            visibility: {},
            version: 'any',
          },
        };
      case 'GET /report/photo/{id}':
        return { values: { id: photo.id } };
      case 'DELETE /api/gallery/photos/{id}': {
        const { rowCount } = await pool.query('select from photos where id = $1 and account_id = $2', [
          photo.id,
          people.member.uid,
        ]);
        if (rowCount === 0) photo = await addPhoto();
        return { values: { id: photo.id } };
      }
      case 'GET /user/{id}':
      case 'GET /api/users/{id}':
      case 'GET /api/users/{id}/contact':
      case 'POST /api/users/{id}/messages':
      case 'PUT /api/blocks/{id}':
      case 'DELETE /api/blocks/{id}':
        await pool.query('delete from blocks');
        return { values: { id: people.neighbour.uid } };
      default:
        return {};
    }
  }

  const createCursor = (route: Route): string => {
    const age = String(Date.now() * 1000 + 1_000_000_000);
    const id = people.member.uid;
    if (route.path.includes('notifications')) return writeCursor([true, age, id]);
    return writeCursor(/gallery|messages/u.test(route.path) ? [age, id] : ['adeyemi ada', id]);
  };

  return {
    secrets,
    markAllDirty: () => callerKinds.forEach((kind) => dirty.add(kind)),
    recordResponse: (route, caller, status) => {
      const isWrite = route.method !== 'GET' && status < 400;
      // Staff can change every account.
      if (isWrite && caller === 'staff') callerKinds.forEach((kind) => dirty.add(kind));
      if (isWrite && (route.path.startsWith('/api/identity') || route.name === 'PUT /api/users/{id}'))
        dirty.add(caller);
    },
    prepareInput: async (route, caller, variant) => {
      await runPeriodicWork();
      // Resets all accounts, because a call may concern other accounts than the sender's.
      for (const one of callerKinds) await restore(one);
      const person = caller === 'guest' ? null : people[caller];
      const cookie = caller === 'half' ? await createPendingSignIn() : (person?.cookie ?? '');
      const { values = {}, ...more } = await prepareSpecialInput(
        route,
        caller,
        caller === 'half' ? null : person,
        variant,
      );
      return {
        cookie,
        ...more,
        values: {
          id: (person ?? people.member).uid,
          picture: await findPicture(people.member),
          photo: photo.thumb.split('/')[2] ?? 'none',
          mail,
          nowhere: 'nowhere',
          email: nextAddress(),
          password: planted.password,
          code: planted.code,
          actionCode: planted.code,
          oobCode: planted.code,
          terms: termsVersion,
          text: 'Do you remember the library?\nI do.',
          ids: [],
          title: 'A day in the library',
          album: `Album ${variant % 5}`,
          place: 'Lagos',
          takenOn: '2012-05-04',
          image: variant % 6 === 0 ? picture : 'data:image/png;base64,AAAA',
          name: 'My phone',
          q: 'ada',
          college: context.institution.colleges[0]?.code ?? '',
          department: context.institution.colleges[0]?.departments[0] ?? '',
          program: context.institution.programs[0] ?? '',
          graduatedFrom: '1990',
          graduatedTo: '2020',
          limit: '1',
          after: createCursor(route),
          as: 'everyone',
          view: 'list',
          step: '2',
          section: 'privacy',
          toast: 'signed-out',
          from: '/settings',
          mode: 'verifyEmail',
          visibility: { bio: 'members', name: 'everyone' },
          isHidden: false,
          unused: randomUUID(),
          ...values,
        },
      };
    },
  };
}
