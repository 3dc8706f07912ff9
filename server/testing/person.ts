import pg from 'pg';
import { type ProfileDocument, toDocument } from '#contract/profile.ts';
import { termsVersion } from '#contract/terms.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';

export interface Person {
  readonly uid: string;
  readonly email: string;
  readonly password: string;
  readonly document: (imgURL: string | null, more?: Partial<ProfileDocument>) => ProfileDocument;
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Response>;
}

let people = 0;

/**
 * Signs up. Verifies the address directly in the database, because these tests also run while mails cannot be written.
 * @throws Error with the response if the sign-up fails
 */
export async function signUpAt(origin: string, connection: pg.PoolConfig): Promise<Person> {
  const number = ++people;
  const [email, password] = [`member${number}@mail.example`, 'a long enough word'];
  let cookie = '';
  const ask: Person['ask'] = async (method, path, body) =>
    fetch(origin + path, {
      method,
      headers: { origin, cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: AbortSignal.timeout(30_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const answer = await ask('POST', '/api/identity/sign-up', { email, password, terms: termsVersion });
  if (!answer.ok) throw new Error(`The sign-up returned ${answer.status} ${await answer.text()}`);
  cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const { uid } = ((await answer.json()) as { user: { uid: string } }).user;
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('update accounts set email_verified = true where id = $1', [uid]);
  await client.end();
  const institution = readInstitution('institution.json');
  const invented = inventPerson(createRandom(number), institution, new Date().getUTCFullYear(), {});
  return {
    uid,
    email,
    password,
    document: (imgURL, more = {}) => ({ ...toDocument({ ...invented, imgURL }), version: 'any', ...more }),
    ask,
  };
}
