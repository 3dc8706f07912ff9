import { fold } from '#server/domain/search/folding.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import type { BenchArchive } from './archive.ts';
import { type Compare, defaultConnections } from './compare.ts';
import { type LoadRequest, sendRequest } from './load.ts';
import { type BenchMember, memberPassword, createSignInRequests } from './members.ts';
import { createPerson, createPersonId, createSurname, surnameCount } from './people.ts';
import type { createQueries } from './queries.ts';
import type { createFilters } from './sequential.ts';
import type { Server } from './server.ts';

const savingMembers = defaultConnections;

export interface BenchInput {
  readonly archive: BenchArchive;
  readonly product: Server;
  readonly floor: Server;
  readonly members: readonly BenchMember[];
  readonly queries: ReturnType<typeof createQueries>;
  readonly filters: ReturnType<typeof createFilters>;
}

const createCounter = () => {
  let count = 0;
  return () => count++;
};

export async function compareReads(
  compare: Compare,
  { archive: { people }, product, floor, members, queries, filters }: BenchInput,
): Promise<void> {
  const [ours, theirs] = [product.url, floor.url];
  const headers = headersOf(members[0]);
  const next = createCounter();
  const id = () => createPersonId((next() * 7_919) % people);
  const cursor = () =>
    writeCursor([fold(createSurname((next() * 7_919) % surnameCount)), createPersonId(next() % people)]);
  const query = () => encodeURIComponent(queries[next() % queries.length]?.text ?? '');
  const filter = () => {
    const { department, graduatedFrom, graduatedTo } = filters(next());
    return new URLSearchParams({
      department,
      graduatedFrom: String(graduatedFrom),
      graduatedTo: String(graduatedTo),
    }).toString();
  };
  const list = () => ({ url: `${ours}/api/users`, headers });
  const listAnywhere = () => ({ url: `${ours}/api/users?after=${cursor()}`, headers });
  const bareListAnywhere = () => ({ url: `${theirs}/members?after=${cursor()}` });
  const profile = () => ({ url: `${ours}/api/users/${id()}`, headers });
  const bareProfile = () => ({ url: `${theirs}/profile?id=${id()}` });
  const guestList = () => ({ url: `${ours}/api/users` });

  await compare('list, member', list, () => ({ url: `${theirs}/members` }));
  await compare('list, member, anywhere', listAnywhere, bareListAnywhere);
  await compare('list, member, anywhere, 1 connection', listAnywhere, bareListAnywhere, { connections: 1 });
  await compare('list, guest', guestList, () => ({ url: `${theirs}/guests` }));
  await compare('list, guest (constant body)', guestList, () => ({ url: `${theirs}/constant` }));
  await compare('profile', profile, bareProfile);
  await compare('profile, 1 connection', profile, bareProfile, { connections: 1 });
  await compare(
    'session',
    () => ({ url: `${ours}/api/identity/session`, headers }),
    () => ({ url: `${theirs}/session`, headers }),
  );
  await compare(
    'search',
    () => ({ url: `${ours}/api/search?q=${query()}`, headers }),
    () => ({ url: `${theirs}/search?q=${query()}` }),
  );
  await compare(
    'count',
    () => ({ url: `${ours}/api/users/count`, headers }),
    () => ({ url: `${theirs}/count` }),
  );
  await compare('facets', () => ({ url: `${ours}/api/users/facets`, headers }), null);
  await compare('count, filtered', () => ({ url: `${ours}/api/users/count?${filter()}`, headers }), null);
  await compare('facets, filtered', () => ({ url: `${ours}/api/users/facets?${filter()}`, headers }), null);
}

/**
 * Compares saves of a field that lists do not show, and of the first name, which they do. Restores the saved profiles.
 */
export async function compareSaves(
  compare: Compare,
  { archive: { institution }, product, floor, members }: BenchInput,
): Promise<void> {
  const next = createCounter();
  const save = ({ headers, uid, document }: BenchMember, changes: object): LoadRequest => ({
    url: `${product.url}/api/users/${uid}`,
    method: 'PUT',
    headers: { ...headers, origin: product.url },
    body: JSON.stringify({ ...document, ...changes }),
  });
  // The floor writes the profiles of other members: it does not update their listings.
  const bareSave = (path: string, number: number, value: string): LoadRequest => ({
    url: `${floor.url}${path}`,
    method: 'POST',
    body: JSON.stringify({ id: members[savingMembers + (number % savingMembers)]?.uid, value }),
  });
  const saving = members.slice(0, savingMembers);
  const saver = (number: number) => saving[number % savingMembers] ?? fail();
  const firstName = (number: number) => createPerson(institution, number).firstName;
  await compare(
    'save',
    () => {
      const number = next();
      return save(saver(number), { bio: `Saved as number ${number}` });
    },
    () => {
      const number = next();
      return bareSave('/save', number, `Number ${number}`);
    },
  );
  await compare(
    'save, listed field',
    () => {
      const number = next();
      const member = saver(number);
      return save(member, { name: { ...member.document.name, first: firstName(number) } });
    },
    () => {
      const number = next();
      return bareSave('/save-name', number, firstName(number));
    },
  );
  for (const member of saving) await sendRequest(save(member, {}));
}

export async function compareSignIns(compare: Compare, { product, floor, members }: BenchInput): Promise<void> {
  const next = createCounter();
  const ours = createSignInRequests(product.url, members, next);
  const theirs = (): LoadRequest => ({
    url: `${floor.url}/sign-in`,
    method: 'POST',
    body: JSON.stringify({ email: `person.${next() % members.length}@alumni.example`, password: memberPassword }),
  });
  await compare('sign-in', ours, theirs);
  await compare(
    'list while 8 sign in',
    () => ({ url: `${product.url}/api/users`, headers: headersOf(members[0]) }),
    () => ({ url: `${floor.url}/members` }),
    { beside: { ours, theirs, connections: 8 } },
  );
}

const headersOf = (member: BenchMember | undefined) => (member ?? fail()).headers;

function fail(): never {
  throw new Error('There are not enough members.');
}
