import * as z from 'zod/mini';
import { sql } from 'kysely';
import { type OptionalKind, optionalKinds } from '#contract/notifications.ts';
import type { Db } from '../db/client.ts';
import type { Listener } from '../db/listener.ts';
import { defineJob, dropJobs } from '../platform/jobs/define-job.ts';

/** The channel on which triggers tell whose notifications have changed (migration 005). */
export const newsChannel = 'news';

/** Who wants to know at once when somebody's notifications change, on this server. */
export interface News {
  /** @returns how to stop */
  subscribe(accountId: string, onChange: () => void): () => void;
  /** How many subscriptions an account has. */
  countOf(accountId: string): number;
  close(): Promise<void>;
}

export function createNews(listener: Listener): News {
  const waiting = new Map<string, Set<() => void>>();
  const ring = (accountId: string) => waiting.get(accountId)?.forEach((onChange) => onChange());
  let stop: (() => void) | undefined;
  return {
    subscribe: (accountId, onChange) => {
      stop ??= listener.subscribe((told) => {
        if (told === null) for (const account of waiting.keys()) ring(account);
        else ring(told);
      });
      const own = waiting.get(accountId) ?? new Set();
      waiting.set(accountId, own.add(onChange));
      return () => {
        own.delete(onChange);
        if (own.size === 0 && waiting.get(accountId) === own) waiting.delete(accountId);
      };
    },
    countOf: (accountId) => waiting.get(accountId)?.size ?? 0,
    close: async () => {
      stop?.();
      await listener.close();
    },
  };
}

/** Tells a department what is new there; `features/notifications/tasks.ts` does it. */
export const departmentNewsJob = defineJob(
  'notifications:department-news',
  z.object({ department: z.string(), kind: z.enum(optionalKinds) }),
);

/** Seconds for which news of one kind are gathered: a class that joins together is one piece of news. */
export const gatherSeconds = 600;

/**
 * Notes, in the transaction in which it happens, that there is something to tell a department. What exactly is counted
 * later, from what members may see then.
 */
export async function noteDepartmentNews(tx: Db, kind: OptionalKind, department: string): Promise<void> {
  await tx
    .insertInto('department_news')
    .values({ department, kind })
    // Writing, not only finding it, keeps the row until this commits: the job cannot take it away in between.
    .onConflict((conflict) =>
      conflict
        .columns(['department', 'kind'])
        .doUpdateSet({ since: sql<Date>`least(department_news.since, excluded.since)` }),
    )
    .execute();
  await departmentNewsJob.queue(tx, { department, kind }, { key: `${kind} ${department}`, seconds: gatherSeconds });
}

/** Forgets what should be told of departments that nobody is left in: there is nothing to tell, and nobody to be told. */
export async function forgetEmptyDepartments(tx: Db): Promise<void> {
  const { rows } = await sql<{ department: string }>`
    delete from department_news as news
    where not exists (select from listings where audience = 'members' and department = news.department)
    returning department`.execute(tx);
  if (rows.length > 0) await dropJobs(tx, rows);
}
