import type * as z from 'zod/mini';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { canonicalizeEmail } from '#contract/fields.ts';
import type { AuditRecord } from '#contract/staff/audit.ts';
import type { Context } from '#server/domain/context.ts';
import { mount } from '#server/domain/api/mount.ts';

const pageSize = 50;

/** Names are not in the records, so addresses and merged employers are looked up. */
export function auditRoutes(app: FastifyInstance, { db }: Context): void {
  mount(app, 'GET /api/staff/audit-log', async ({ query }) => {
    const { action = null, subject = null, from = null, to = null, before = null } = query;
    const actor = query.actor === undefined ? null : canonicalizeEmail(query.actor);
    const { rows } = await sql<z.input<typeof AuditRecord>>`
      select r.id::float8 as id, r.recorded_at as at, r.actor as "actorId", a.email as actor, r.action,
        r.subject_kind as "subjectKind", r.subject, coalesce(s.email, m.key) as "subjectLabel",
        (select coalesce(jsonb_agg(jsonb_build_object('name', key, 'value', coalesce(value, '')) order by key), '[]')
         from jsonb_each_text(r.details)) as details
      from audit_records r left join accounts a on a.id = r.actor
        left join accounts s on r.subject_kind = 'account' and s.id::text = r.subject
        left join employer_merges m
          on r.subject_kind = 'employer' and left(encode(sha256(convert_to(m.key, 'UTF8')), 'hex'), 32) = r.subject
      where (${action}::text is null or r.action = ${action}) and (${subject}::text is null or r.subject = ${subject})
        and (${actor}::text is null or a.email = ${actor})
        and (${from}::timestamptz is null or r.recorded_at >= ${from})
        and (${to}::timestamptz is null or date_trunc('milliseconds', r.recorded_at) <= ${to})
        and (${before}::bigint is null or r.id < ${before}::bigint)
      order by r.id desc limit ${pageSize + 1}`.execute(db);
    return {
      records: rows.slice(0, pageSize),
      hasMore: rows.length > pageSize,
    };
  });
}
