import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../db/client.ts';
import { isClockSteady } from './clock.ts';
import type { Job } from './jobs.ts';
import { awayMessage, type Mailer } from './mail.ts';

/** Days for which a mail waits for a server that is away, from when it was asked for. */
const patience = 14;

/** Attempts that a mail has had at most, while its server is away and when it is back: it was no fault of the mail. */
const [whileAway, afterwards] = [10, 4];

const isAway = `last_error like '${awayMessage}%'`;

/** Mails whose server did not answer when they were tried last. */
const delayed = `
  locked_at is null and attempts > 0 and ${isAway} and created_at > now() - make_interval(days => ${patience})`;

/** Those of them that would not go out within the next seconds: given up as well. */
const waiting = `${delayed} and (attempts >= max_attempts or run_at > now() + interval '5 seconds')`;

/**
 * When the mail server answers again, the mails that waited for it go out now and not hours later, in the order in which
 * they were asked for. Until then none of them comes to its last attempt. What was refused while the server answered
 * waits its time, so that a server in trouble is not run over.
 * @returns how many were brought forward
 */
export async function bringMailsForward(pool: pg.Pool, mailer: Pick<Mailer, 'answers'>): Promise<number> {
  const { rowCount } = await pool.query(`select from graphile_worker._private_jobs where ${waiting} limit 1`);
  if (!rowCount) return 0;
  if (!(await mailer.answers())) {
    await pool.query(
      `update graphile_worker._private_jobs set attempts = least(${whileAway}, max_attempts - 1)
       where ${delayed} and attempts > least(${whileAway}, max_attempts - 1)`,
    );
    return 0;
  }
  // A clock that was ahead may have written down when they were asked for.
  const { rowCount: brought } = await pool.query(
    `update graphile_worker._private_jobs
     set run_at = least(created_at, now()), attempts = least(attempts, ${afterwards}, max_attempts - 1)
     where ${waiting}`,
  );
  return brought ?? 0;
}

/**
 * Takes the failed mails of one kind away at once: for those in which somebody's own words stand, or somebody who has gone.
 * Those whose server is away have not failed, for as long as they wait for it.
 * @returns what they said
 */
export async function deleteFailedMailsOf(db: Db, { name }: Pick<Job<unknown>, 'name'>): Promise<unknown[]> {
  // By the clock only when that can be relied on.
  const isOld = (await isClockSteady(db)) ? sql`created_at <= now() - make_interval(days => ${patience})` : sql`false`;
  const { rows } = await sql<{ payload: unknown }>`
    delete from graphile_worker._private_jobs
    where locked_at is null and task_id in (select id from graphile_worker._private_tasks where identifier = ${name})
      and case when ${sql.raw(isAway)} then ${isOld} else attempts >= max_attempts end
    returning payload`.execute(db);
  return rows.map(({ payload }) => payload);
}
