import { fold } from '#server/domain/search/folding.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import type { BenchArchive } from './archive.ts';
import type { LoadRequest } from './load.ts';
import { type BenchMember, createClientAddress } from './members.ts';
import { createPersonId, createSurname, surnameCount } from './people.ts';
import { createQueries } from './queries.ts';
import { createRandom } from '#server/seed/random.ts';

/**
 * Creates a realistic mix of requests. Of 100 requests, 90 read (10 HTML pages, 80 lists, profiles and counts), 8
 * search, and 2 write. Half of the requests for lists and counts come from guests. The sequence is the same in each
 * run.
 * @returns a function that creates the next request
 */
export function createMixedLoad(
  { institution, people }: Pick<BenchArchive, 'institution' | 'people'>,
  url: string,
  members: readonly BenchMember[],
): () => LoadRequest {
  const random = createRandom(90_802);
  const queries = createQueries(institution, people);
  const randomId = () => createPersonId(random.integer(0, people - 1));
  const cursor = () => writeCursor([fold(createSurname(random.integer(0, surnameCount - 1))), randomId()]);
  return () => {
    const { uid, headers, document } = random.pick(members);
    const from = { 'x-forwarded-for': createClientAddress(random.integer(0, 60_000)) };
    const member = { ...from, ...headers };
    const reader = random.chance(0.5) ? member : from;
    const dice = random.integer(1, 100);
    if (dice <= 5) return { url: `${url}/`, headers: reader };
    if (dice <= 10) return { url: `${url}/user/${randomId()}`, headers: member };
    if (dice <= 45) return { url: `${url}/api/users?after=${cursor()}`, headers: reader };
    if (dice <= 80) return { url: `${url}/api/users/${randomId()}`, headers: member };
    if (dice <= 90)
      return { url: `${url}/api/users/count?graduatedFrom=${random.integer(1970, 2020)}`, headers: reader };
    if (dice <= 98)
      return { url: `${url}/api/search?q=${encodeURIComponent(random.pick(queries).text)}`, headers: member };
    const body = JSON.stringify({ ...document, bio: `Saved as number ${random.integer(0, 1e9)}` });
    return { url: `${url}/api/users/${uid}`, method: 'PUT', headers: { ...member, origin: url }, body };
  };
}
