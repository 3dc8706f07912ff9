import { CompiledQuery } from 'kysely';
import * as z from 'zod/mini';
import type { DirectoryFilters, DirectorySort } from '#contract/directory.ts';
import { Id } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import type { ListingAudience } from '#server/db/schema.ts';
import { newMemberInterval } from '#server/domain/accounts/accounts.ts';
import { buildConditions } from '#server/domain/people/listing-conditions.ts';
import { type CardRow, cardColumns } from '#server/domain/people/visibility.ts';
import { cutPage, Microseconds, readCursor, toMicroseconds, toTime } from '#server/platform/http/cursor.ts';

/*
 * Pages of cards in three orders, with keyset pagination: all pages cost the same. The cursors of the orders have
 * different types, so that a cursor of another order is invalid. Like all queries of the directory, they read only the
 * rows of one audience.
 */

interface Scope {
  readonly audience: ListingAudience;
  readonly filters: DirectoryFilters;
  readonly limit: number;
  readonly firstClass: number | undefined;
}

interface Page {
  readonly rows: CardRow[];
  readonly next: string | null;
}

export const findPage = (db: Db, scope: Scope, sort: DirectorySort, after: string | undefined): Promise<Page> =>
  finders[sort](db, scope, after);

const finders = { name: findByName, newest: findByAge, class: findByClass } satisfies Record<DirectorySort, unknown>;

const NameKey = z.tuple([z.string(), Id]);

async function findByName(db: Db, scope: Scope, after: string | undefined): Promise<Page> {
  const key = after === undefined ? null : readCursor(after, NameKey);
  const rows = await selectCards<CardRow>(db, scope, (add, conditions, limit) => {
    if (key) conditions.push(`(sort_name, account_id) > (${add(key[0])}, ${add(key[1])})`);
    return `select ${columns} from listings where ${conditions.join(' and ')} order by sort_name, account_id ${limit}`;
  });
  return cutPage(rows, scope.limit, ({ sort_name, account_id }) => [sort_name, account_id]);
}

/**
 * Start of the last 24 hours when the first page was requested, time when the last person joined, account id. Both
 * times are microseconds.
 */
const AgeKey = z.tuple([Microseconds, Microseconds, Id]);

/** Maximum number of matching people that are sorted for each page. More are read in the order of an index. */
const maxSortedPeople = 2_000;

/**
 * Lists the people who joined more than 24 hours ago, the newest first, and then the new members, the newest last. So a
 * new account cannot put a name on the first page, and each person is still listed. The cursor has the start of the 24
 * hours, so that no one moves from one part to the other between two pages.
 */
async function findByAge(db: Db, scope: Scope, after: string | undefined): Promise<Page> {
  const key = after === undefined ? null : readCursor(after, AgeKey);
  const { newSince, people } = await findAgeBounds(db, scope, key?.[0] ?? null);
  const isInLastPart = key !== null && BigInt(key[1]) >= BigInt(newSince);
  const selectPart = (age: '<' | '>=', follows: '<' | '>', direction: 'asc' | 'desc', isStarted: boolean) =>
    selectCards<CardRow & { age: string }>(db, scope, (add, conditions, limit) => {
      const inPart = [`listed_at ${age} ${toTime(add(newSince))}`];
      if (key && isStarted)
        inPart.push(`(listed_at, account_id) ${follows} (${toTime(add(key[1]))}, ${add(key[2])}::uuid)`);
      // Few people in a large directory can be far apart in the index of the time, so an index of the filter finds
      // them.
      const isSorted = people !== null && people <= maxSortedPeople;
      const [before, from, where] = isSorted
        ? [
            `with found as materialized (select ${columns}, listed_at from listings where ${conditions.join(' and ')})`,
            'found',
            inPart,
          ]
        : ['', 'listings', [...conditions, ...inPart]];
      return `${before} select ${columns}, ${toMicroseconds('listed_at')} as age
        from ${from} where ${where.join(' and ')} order by listed_at ${direction}, account_id ${direction} ${limit}`;
    });
  const rows = isInLastPart ? [] : await selectPart('<', '<', 'desc', true);
  if (rows.length <= scope.limit) rows.push(...(await selectPart('>=', '>', 'asc', isInLastPart)));
  return cutPage(rows, scope.limit, (row) => [newSince, row.age, row.account_id]);
}

async function findAgeBounds(
  db: Db,
  { audience, filters }: Scope,
  fromCursor: string | null,
): Promise<{ newSince: string; people: number | null }> {
  const parameters: unknown[] = [audience];
  const conditions = buildConditions(filters, parameters);
  const people =
    conditions.length === 1
      ? 'null::int'
      : `(select coalesce(sum(people), 0)::int from listing_counts where ${conditions.join(' and ')})`;
  const { rows } = await db.executeQuery<{ newSince: string; people: number | null }>(
    CompiledQuery.raw(
      `select least($${parameters.push(fromCursor)}::bigint,
         (extract(epoch from now() - interval '${newMemberInterval}') * 1000000)::bigint)::text as "newSince",
         ${people} as people from (select $1::text as audience) as scope`,
      parameters,
    ),
  );
  const [bounds] = rows;
  if (!bounds) throw new Error('A query without a table always returns a row.');
  return bounds;
}

/** Year, sort name and account id of the last card. Year 0 means that the audience may not see it. */
const ClassKey = z.tuple([z.int().check(z.minimum(0), z.maximum(9999)), z.string(), Id]);

async function findByClass(db: Db, scope: Scope, after: string | undefined): Promise<Page> {
  const { firstClass = 0 } = scope;
  const { graduatedFrom, graduatedTo } = scope.filters;
  const key = after === undefined ? null : readCursor(after, ClassKey);
  const [keyYear, keyName, keyId] = key ?? [null, null, null];
  const rows: CardRow[] = [];
  if (keyYear !== 0) {
    const found = await selectCards<CardRow>(db, scope, (add, conditions, limit) => {
      const inClasses = ['year_graduated > 0'];
      const inCards = ['year_graduated = class'];
      if (keyYear !== null) {
        const year = `${add(keyYear)}::smallint`;
        if (keyYear !== firstClass)
          inClasses.push(`year_graduated <= ${year}`, `year_graduated <> ${add(firstClass)}::smallint`);
        // The cursor applies to its own class only. A condition with OR would read this class from its beginning.
        inCards.push(`(sort_name, account_id) > (case when class = ${year} then ${add(keyName)} else '' end,
          case when class = ${year} then ${add(keyId)}::uuid else '${smallestId}' end)`);
      }
      return `select cards.* from (
          select year_graduated as class, year_graduated = ${add(firstClass)}::smallint as is_first
          from listing_counts where ${[...conditions, ...inClasses].join(' and ')}
          group by 1 having sum(people) > 0 order by 2 desc, 1 desc
        ) as classes cross join lateral (
          select ${columns} from listings where ${[...conditions, ...inCards].join(' and ')}
          order by sort_name, account_id ${limit}
        ) as cards
        order by is_first desc, class desc, sort_name, account_id ${limit}`;
    });
    rows.push(...found);
  }
  const canHaveHiddenYears = graduatedFrom === undefined && graduatedTo === undefined;
  if (canHaveHiddenYears && rows.length <= scope.limit) {
    const found = await selectCards<CardRow>(db, scope, (add, conditions, limit) => {
      conditions.push('year_graduated is null');
      if (keyYear === 0) conditions.push(`(sort_name, account_id) > (${add(keyName)}, ${add(keyId)})`);
      // Only with the year in the order does the planner see that the index has this order.
      return `select ${columns} from listings where ${conditions.join(' and ')}
        order by year_graduated, sort_name, account_id ${limit}`;
    });
    rows.push(...found);
  }
  return cutPage(rows, scope.limit, ({ year_graduated, sort_name, account_id }) => [
    year_graduated ?? 0,
    sort_name,
    account_id,
  ]);
}

const smallestId = '00000000-0000-0000-0000-000000000000';

const columns = cardColumns.join(', ');

async function selectCards<Row>(
  db: Db,
  { audience, filters, limit }: Scope,
  write: (add: (value: unknown) => string, conditions: string[], limit: string) => string,
): Promise<Row[]> {
  const parameters: unknown[] = [audience];
  const conditions = buildConditions(filters, parameters);
  // The number is a literal, because the planner assumes many rows for a parameter.
  const text = write((value) => `$${parameters.push(value)}`, conditions, `limit ${limit + 1}`);
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, parameters))).rows;
}
