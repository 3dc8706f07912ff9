import { fold } from '#server/domain/folding.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import type { BenchArchive } from './archive.ts';
import type { Shot } from './load.ts';
import { type BenchMember, addressOf } from './members.ts';
import { idOf, surname, surnames } from './people.ts';
import { makeQueries } from './queries.ts';
import { createRandom } from '#server/seed/random.ts';

/**
 * What people ask for, mixed: of a hundred requests 90 read (10 of them whole pages; half of the pages of lists are for guests; lists, profiles,
 * counts), 8 search, and 2 write. The same numbers give the same requests.
 * @returns makes the next request
 */
export function mixedLoad(
  { institution, people }: Pick<BenchArchive, 'institution' | 'people'>,
  url: string,
  members: readonly BenchMember[],
): () => Shot {
  const random = createRandom(90_802);
  const queries = makeQueries(institution, people);
  const anybody = () => idOf(random.whole(0, people - 1));
  const cursor = () => writeCursor([fold(surname(random.whole(0, surnames - 1))), anybody()]);
  return () => {
    const { uid, headers, document } = random.pick(members);
    const from = { 'x-forwarded-for': addressOf(random.whole(0, 60_000)) };
    const member = { ...from, ...headers };
    const reader = random.chance(0.5) ? member : from;
    const dice = random.whole(1, 100);
    if (dice <= 5) return { url: `${url}/`, headers: reader };
    if (dice <= 10) return { url: `${url}/user/${anybody()}`, headers: member };
    if (dice <= 45) return { url: `${url}/api/users?after=${cursor()}`, headers: reader };
    if (dice <= 80) return { url: `${url}/api/users/${anybody()}`, headers: member };
    if (dice <= 90) return { url: `${url}/api/users/count?graduatedFrom=${random.whole(1970, 2020)}`, headers: reader };
    if (dice <= 98)
      return { url: `${url}/api/search?q=${encodeURIComponent(random.pick(queries).text)}`, headers: member };
    const body = JSON.stringify({ ...document, bio: `Wrote this as number ${random.whole(0, 1e9)}` });
    return { url: `${url}/api/users/${uid}`, method: 'PUT', headers: { ...member, origin: url }, body };
  };
}
