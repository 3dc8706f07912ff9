import { createPasswordHasher } from '#server/platform/crypto/password-hashing.ts';
import type { BenchArchive } from './archive.ts';
import { type LoadRequest, sendRequest } from './load.ts';
import { createPersonId } from './people.ts';
import type { Server } from './server.ts';

export const memberPassword = 'olumo rock at dawn';

export interface BenchMember {
  readonly uid: string;
  readonly email: string;
  readonly headers: { readonly cookie: string };
  readonly document: Readonly<Record<string, unknown>> & { readonly name: object };
}

/** Signs each person in once, so that their devices are known. */
export async function prepareMembers(
  { database }: Pick<BenchArchive, 'database'>,
  { url }: Pick<Server, 'url'>,
  signingIn: number,
): Promise<BenchMember[]> {
  const hash = await createPasswordHasher().hash(memberPassword);
  await database.pool.query('update accounts set password_hash = $1 where id = any($2::uuid[])', [
    hash,
    Array.from({ length: signingIn }, (_, number) => createPersonId(number)),
  ]);
  await database.pool.query('delete from throttles; delete from long_throttles');
  const members: BenchMember[] = [];
  for (let number = 0; number < signingIn; number++) {
    const email = `person.${number}@alumni.example`;
    const { cookies } = await sendRequest({
      url: `${url}/api/identity/sign-in`,
      method: 'POST',
      headers: { origin: url, 'x-forwarded-for': createClientAddress(number) },
      body: JSON.stringify({ email, password: memberPassword }),
    });
    const uid = createPersonId(number);
    const cookie = cookies.map((text) => text.slice(0, text.indexOf(';'))).join('; ');
    const headers = { cookie };
    const { body } = await sendRequest({ url: `${url}/api/users/${uid}/document`, headers });
    members.push({ uid, email, headers, document: readDocument(body.toString()) });
  }
  return members;
}

function readDocument(body: string): BenchMember['document'] {
  const {
    id: _i,
    email: _e,
    schoolLabel: _s,
    label: _l,
    career: _c,
    ...document
  } = (JSON.parse(body) as { profile: BenchMember['document'] }).profile;
  return { ...document, imgURL: null, version: 'any' };
}

export const createClientAddress = (number: number) =>
  `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

/** The members sign in in turn, each from a known device. */
export const createSignInRequests =
  (url: string, members: readonly BenchMember[], next: () => number) => (): LoadRequest => {
    const number = next();
    const member = members[number % members.length];
    return {
      url: `${url}/api/identity/sign-in`,
      method: 'POST',
      headers: {
        origin: url,
        'x-forwarded-for': createClientAddress(number),
        cookie: selectDeviceCookies(member?.headers.cookie ?? ''),
      },
      body: JSON.stringify({ email: member?.email, password: memberPassword }),
    };
  };

const selectDeviceCookies = (cookies: string) =>
  cookies
    .split('; ')
    .filter((cookie) => !/^(?:__Host-)?sid=/u.test(cookie))
    .join('; ');
