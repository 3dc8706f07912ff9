import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

export type ShiftClock = (interval: string) => Promise<void>;

/**
 * Makes the clock of a database adjustable, e.g. by `1 year`: adds a `now()` function that precedes PostgreSQL's in the
 * search path, and uses it in column defaults. Reconnects, so that no connection uses the original function.
 */
export async function makeClockShiftable(pool: pg.Pool): Promise<ShiftClock> {
  await pool.query(`
    create schema shifted;
    create table shifted.shift (by interval not null);
    insert into shifted.shift values ('0');
    create function shifted.now() returns timestamptz stable language sql
      as $$ select pg_catalog.now() + (select by from shifted.shift) $$;
    do $$
    declare one record;
    begin
      for one in
        select n.nspname, c.relname, a.attname from pg_attrdef d
        join pg_class c on c.oid = d.adrelid join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
        where pg_get_expr(d.adbin, d.adrelid) = 'now()'
      loop
        execute format('alter table %I.%I alter column %I set default shifted.now()', one.nspname, one.relname, one.attname);
      end loop;
      execute format('alter database %I set search_path = shifted, pg_catalog, public', current_database());
    end $$`);
  await pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await pool.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
  const deadline = performance.now() + 10_000;
  for (let isNew = false; !isNew; await delay(10)) {
    if (performance.now() > deadline) throw new Error('No new connection was opened within 10 seconds.');
    isNew = await pool.query<{ path: string }>(`select current_setting('search_path') as path`).then(
      ({ rows }) => rows[0]?.path.startsWith('shifted') ?? false,
      () => false,
    );
  }
  return async (interval) => void (await pool.query('update shifted.shift set by = $1', [interval]));
}
