import { type RawBuilder, sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { MembershipMode, MembershipStatus } from '#contract/membership.ts';
import { type Db, now } from '#server/db/client.ts';
import { graceMailKinds } from '#server/db/schema.ts';
import { endChanges } from './confirmed-identity.ts';
import { holdBackAllChanges } from './identity-changes.ts';
import { endGracePeriod, requiresConfirmation, startGracePeriod } from './membership.ts';

/*
 * The mode in effect is one row of the database. A switch first prepares accounts in small transactions and then
 * changes that row, so that an interrupted switch leaves a consistent archive, and the same command completes it
 * (decision 60).
 */

/** Gives an archive without accounts the mode of `institution.json`. @returns the mode in effect */
export async function adoptMembershipMode(
  db: Db,
  { membership }: Pick<Institution, 'membership'>,
): Promise<MembershipMode> {
  await sql`
    update membership_mode set mode = ${membership}, changed_at = now()
    where mode <> ${membership} and not exists (select from accounts)`.execute(db);
  return (await requiresConfirmation(db)) ? 'confirmed' : 'open';
}

const batchSize = 2_000;

type OnProgress = (accounts: number) => void;

/**
 * Makes confirmation a requirement. Members keep access until the end of the grace period; accounts that staff rejected
 * or whose entry is disputed lose it at once. Does not remove listings: call `endGracePeriods` afterwards. In an
 * archive that already requires confirmation, only shortens grace periods that end later.
 */
export async function requireConfirmation(db: Db, graceDays: number, onProgress: OnProgress = () => undefined) {
  const { rows } = await sql<{ start: Date; until: Date }>`
    select now() as start, now() + make_interval(days => ${graceDays}) as until`.execute(db);
  const { start, until } = rows[0] as { start: Date; until: Date };
  const end = sql<Date>`case membership_status when 'unconfirmed' then ${until}::timestamptz else ${start}::timestamptz end`;
  if (await requiresConfirmation(db)) {
    await updateInBatches(db, { confirm_by: until }, sql`confirm_by > ${until}`, onProgress);
    return;
  }
  const isDue = sql`membership_status <> 'confirmed' and display_name is not null and confirm_by is distinct from ${end}`;
  await updateInBatches(db, { confirm_by: end }, isDue, onProgress);
  await switchTo(db, 'confirmed', async (tx) => {
    // Accounts that were created or completed since.
    await sql`update accounts set confirm_by = ${end} where ${isDue}`.execute(tx);
    await deleteGraceMails(tx);
  });
}

/** Removes the requirement, and adds the listings that it has removed, with their original dates. */
export async function removeConfirmation(db: Db, onProgress: OnProgress = () => undefined): Promise<void> {
  if (!(await requiresConfirmation(db))) return;
  // Accounts become members one by one through a grace period, until the mode makes them all members.
  const { rows } = await sql<{ until: Date }>`select now() + interval '1 year' as until`.execute(db);
  const { until } = rows[0] as { until: Date };
  for (;;) {
    const ids = await findWaiting(db);
    if (ids.length === 0) break;
    for (const id of ids) await db.transaction().execute((tx) => startGracePeriod(tx, id, until));
    onProgress(ids.length);
  }
  await switchTo(db, 'open', async (tx) => {
    for (const id of await findWaiting(tx)) await startGracePeriod(tx, id, until);
    await deleteGraceMails(tx);
  });
}

async function findWaiting(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('membership_status', '<>', 'confirmed')
    .where('confirm_by', 'is', null)
    .where('display_name', 'is not', null)
    .limit(batchSize)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Ends the grace periods whose time has passed, one account per transaction. Does nothing in the mode `open`.
 * @returns the number of accounts
 */
export async function endGracePeriods(db: Db, onProgress: OnProgress = () => undefined): Promise<number> {
  if (!(await requiresConfirmation(db))) return 0;
  let all = 0;
  for (;;) {
    const due = await db
      .selectFrom('accounts')
      .select('id')
      .where('confirm_by', '<=', now)
      .orderBy('confirm_by')
      .limit(batchSize)
      .execute();
    let ended = 0;
    for (const { id } of due) {
      if (!(await db.transaction().execute((tx) => endGracePeriod(tx, id)))) continue;
      ended++;
      onProgress(1);
    }
    if (ended === 0) return all;
    all += ended;
  }
}

/**
 * Changes the mode in effect, after `prepare`. The lock waits for transactions that have locked an account, which every
 * save does first. So none of them can commit with a mode that no longer applies.
 */
async function switchTo(db: Db, mode: MembershipMode, prepare: (tx: Db) => Promise<void>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`lock table accounts in exclusive mode`.execute(tx);
    await prepare(tx);
    await tx.updateTable('membership_mode').set({ mode, changed_at: now }).execute();
    await (mode === 'confirmed' ? holdBackAllChanges(tx) : endChanges(tx, sql<boolean>`true`));
  });
}

const deleteGraceMails = (tx: Db) => tx.deleteFrom('notice_mails').where('kind', 'in', graceMailKinds).execute();

async function updateInBatches(
  db: Db,
  { confirm_by: value }: { confirm_by: Date | RawBuilder<Date> },
  condition: RawBuilder<unknown>,
  onProgress: OnProgress,
): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const { rows } = await sql<{ id: string }>`
      with batch as (
        select id from accounts where id > ${after} and ${condition}
        order by id limit ${sql.lit(batchSize)} for no key update)
      update accounts as a set confirm_by = ${value} from batch where a.id = batch.id returning a.id`.execute(db);
    if (rows.length === 0) return;
    onProgress(rows.length);
    after = rows.reduce((last, { id }) => (id > last ? id : last), after);
  }
}

interface MembershipCounts {
  readonly accounts: number;
  readonly byStatus: Readonly<Record<MembershipStatus, number>>;
  readonly inGrace: number;
  readonly firstEnd: Date | null;
  readonly lastEnd: Date | null;
}

export async function countMemberships(db: Db): Promise<MembershipCounts> {
  const { rows } = await sql<MembershipCounts>`
    select count(*)::int as accounts,
      json_build_object(
        'unconfirmed', count(*) filter (where membership_status = 'unconfirmed'),
        'confirmed', count(*) filter (where membership_status = 'confirmed'),
        'disputed', count(*) filter (where membership_status = 'disputed'),
        'rejected', count(*) filter (where membership_status = 'rejected')) as "byStatus",
      count(confirm_by)::int as "inGrace", min(confirm_by) as "firstEnd", max(confirm_by) as "lastEnd"
    from accounts where display_name is not null`.execute(db);
  return rows[0] as MembershipCounts;
}
