import { createPasswordHasher } from '#server/platform/crypto/password-hashing.ts';
import type { BenchArchive } from './archive.ts';
import { type Shot, send } from './load.ts';
import { idOf } from './people.ts';
import type { Server } from './server.ts';

/** Everybody's. */
export const password = 'olumo rock at dawn';

/** Somebody who has signed in. */
export interface BenchMember {
  readonly uid: string;
  readonly email: string;
  /** With the session's cookie and the device's. */
  readonly headers: { readonly cookie: string };
  readonly document: object;
}

/** Gives some people a password, and signs them in once, so that their devices are known. */
export async function prepareMembers(
  { database }: Pick<BenchArchive, 'database'>,
  { url }: Pick<Server, 'url'>,
  signingIn: number,
): Promise<BenchMember[]> {
  const hash = await createPasswordHasher().hash(password);
  await database.pool.query('update accounts set password_hash = $1 where id = any($2::uuid[])', [
    hash,
    Array.from({ length: signingIn }, (_, number) => idOf(number)),
  ]);
  await database.pool.query('delete from throttles');
  const members: BenchMember[] = [];
  for (let number = 0; number < signingIn; number++) {
    const email = `person.${number}@alumni.example`;
    const { cookies } = await send({
      url: `${url}/api/identity/sign-in`,
      method: 'POST',
      headers: { origin: url, 'x-forwarded-for': addressOf(number) },
      body: JSON.stringify({ email, password }),
    });
    const uid = idOf(number);
    const cookie = cookies.map((text) => text.slice(0, text.indexOf(';'))).join('; ');
    const headers = { cookie };
    const { body } = await send({ url: `${url}/api/users/${uid}/document`, headers });
    members.push({ uid, email, headers, document: documentOf(body) });
  }
  return members;
}

/** The document as its owner sends it back. */
function documentOf(body: string): object {
  const {
    id: _i,
    email: _e,
    schoolLabel: _s,
    label: _l,
    ...document
  } = (JSON.parse(body) as { profile: Record<string, unknown> }).profile;
  return { ...document, imgURL: null, version: 'any' };
}

/** A network address of one's own, as the proxy tells it. */
export const addressOf = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

/** Signs them in again, one after another, each on the device that is known. */
export const signInShots = (url: string, members: readonly BenchMember[], next: () => number) => (): Shot => {
  const number = next();
  const member = members[number % members.length];
  return {
    url: `${url}/api/identity/sign-in`,
    method: 'POST',
    headers: { origin: url, 'x-forwarded-for': addressOf(number), cookie: deviceOf(member?.headers.cookie ?? '') },
    body: JSON.stringify({ email: member?.email, password }),
  };
};

/** The cookie by which a device is known, without the session's. */
const deviceOf = (cookies: string) =>
  cookies
    .split('; ')
    .filter((cookie) => !/^(?:__Host-)?sid=/u.test(cookie))
    .join('; ');
