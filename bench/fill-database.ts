import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Institution } from '#contract/institution.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import type { Database } from '#server/db/client.ts';
import { toColumns } from '#server/domain/people/people.ts';
import { type Person, toListings } from '#server/domain/people/visibility.ts';
import { recountWords } from '#server/domain/search/vocabulary.ts';
import { inventChoices } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { createPersonId, createPerson } from './people.ts';
import { createSyntheticCareer } from './synthetic-careers.ts';

const peoplePerTransaction = 50_000;

/** The rows are the same as if the server had written them. */
export async function fillDatabase(
  { db, pool }: Database,
  institution: Institution,
  people: number,
  log: (line: string) => void,
): Promise<void> {
  const start = performance.now();
  const seconds = () => `${((performance.now() - start) / 1000).toFixed(0)} s`;
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0; set synchronous_commit = off; set maintenance_work_mem = 1000000');
    // Building an index at the end is faster than updating it row by row.
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexname as name, indexdef as definition from pg_indexes
       where tablename in ('listings', 'profiles') and indexname not like '%_pkey'`,
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (let first = 0; first < people; first += peoplePerTransaction) {
      const last = Math.min(first + peoplePerTransaction, people);
      await copyPeople(
        client,
        Array.from({ length: last - first }, (_, at) => createSyntheticPerson(institution, first + at)),
      );
      log(`${last} people, ${seconds()}`);
    }
    for (const { definition } of indexes) await client.query(definition);
    log(`indexes, ${seconds()}`);
    // Without statistics, countWords would scan the whole table for each word.
    await client.query('analyze listings');
    await recountWords(db);
    log(`vocabulary, ${seconds()}`);
    await client.query('vacuum analyze');
    log(`ready, ${seconds()}`);
  } finally {
    client.release(true);
  }
}

function createSyntheticPerson(institution: Institution, number: number): Person {
  const person = createPerson(institution, number);
  const visibility: VisibilityChoices = inventChoices(createRandom(number));
  return {
    ...toColumns({ ...person, imgURL: null }),
    ...createSyntheticCareer(number),
    isHidden: false,
    isIndexed: false,
    isDisabled: false,
    isHiddenByStaff: false,
    takesMessages: true,
    awaitsSignIn: false,
    awaitsConfirmation: false,
    isMinor: false,
    id: createPersonId(number),
    email: `person.${number}@alumni.example`,
    // Nine of ten people have a picture name, without a file.
    picture: number % 10 === 0 ? null : `synthetic-${number % 200}`.padEnd(22, '-'),
    visibility,
  };
}

async function copyPeople(client: pg.PoolClient, people: readonly Person[]): Promise<void> {
  await client.query('begin');
  await copyRows(
    client,
    'accounts (id, email, email_verified, password_hash, display_name)',
    people.map(({ id, email, last_name: last, first_name: first }) => [id, email, true, '!', `${last} ${first}`]),
  );
  // Columns of the account keep their defaults: visible, enabled, adult.
  const accountColumns = new Set([
    'id',
    'email',
    'isHidden',
    'isIndexed',
    'isDisabled',
    'isHiddenByStaff',
    'awaitsSignIn',
    'awaitsConfirmation',
    'isMinor',
    'takesMessages',
  ]);
  const columns = Object.keys(people[0] ?? {}).filter((name) => !accountColumns.has(name)) as (keyof Person)[];
  await copyRows(
    client,
    `profiles (account_id, ${columns.join(', ')})`,
    people.map((person) => [
      person.id,
      ...columns.map((name) => {
        if (name === 'helps') return `{${person.helps.join(',')}}`;
        const value = person[name];
        return typeof value === 'object' ? value && JSON.stringify(value) : value;
      }),
    ]),
  );
  const listings = people.flatMap(toListings);
  const names = Object.keys(listings[0] ?? {}).filter((name) => name !== 'words') as Exclude<
    keyof (typeof listings)[number],
    'words'
  >[];
  await copyRows(
    client,
    `listings (${names.join(', ')}, search)`,
    listings.map((listing) => [...names.map((name) => listing[name]), listing.words.join(' ')]),
  );
  await client.query('commit');
}

async function copyRows(client: pg.PoolClient, target: string, rows: readonly (readonly Value[])[]): Promise<void> {
  const stream = client.query(copyFrom(`copy ${target} from stdin`));
  for (let from = 0; from < rows.length; from += 1_000) {
    const text = rows
      .slice(from, from + 1_000)
      .map((row) => `${row.map(toCopyText).join('\t')}\n`)
      .join('');
    if (!stream.write(text)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}

type Value = string | number | boolean | null | undefined;

const toCopyText = (value: Value): string =>
  value === null || value === undefined
    ? String.raw`\N`
    : String(value).replaceAll(
        /[\\\t\n\r]/gu,
        (sign) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[sign] ?? '',
      );
