import type pg from 'pg';
import { awayMessage, type Mailer } from './mail.ts';

/** Mails that wait for a further attempt because their server did not answer, and are younger than two days. */
const waiting = `
  locked_at is null and attempts between 1 and max_attempts - 1 and created_at > now() - interval '2 days'
  and last_error like $1 and run_at > now() + interval '5 seconds'`;

/**
 * When the mail server answers again, the mails that waited for it go out now and not hours later, in the order in which
 * they were asked for. That it was away was no fault of theirs: it costs them few of their attempts. What was refused while
 * the server answered waits its time, so that a server in trouble is not run over.
 * @returns how many were brought forward
 */
export async function bringMailsForward(pool: pg.Pool, mailer: Pick<Mailer, 'answers'>): Promise<number> {
  const { rowCount } = await pool.query(`select from graphile_worker._private_jobs where ${waiting} limit 1`, [
    `${awayMessage}%`,
  ]);
  if (!rowCount || !(await mailer.answers())) return 0;
  const { rowCount: brought } = await pool.query(
    `update graphile_worker._private_jobs set run_at = created_at, attempts = least(attempts, 4) where ${waiting}`,
    [`${awayMessage}%`],
  );
  return brought ?? 0;
}
