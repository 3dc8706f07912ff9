import pg from 'pg';

/**
 * Returns statements that make the current role the owner of the audit log, so that the application can only read and
 * append records (decision 80). The role also gets the schema, because the owner of a schema can drop everything in it.
 */
const protect = (application: string) => `
  alter schema public owner to current_user;
  grant usage, create on schema public to ${application};
  alter table public.audit_records owner to current_user;
  alter function public.hash_audit_record(bytea, public.audit_records) owner to current_user;
  alter function public.append_audit_record(uuid, text, text, text, jsonb) owner to current_user;
  alter function public.refuse_audit_change() owner to current_user;
  revoke all on public.audit_records from public, ${application};
  grant select, insert on public.audit_records to ${application}`;

/**
 * Gives the audit log its own owner, unless it has it.
 * @param client connected as that owner, which must be a member of the role of the application
 * @param application role of the application
 */
export async function protectAuditLog(client: pg.ClientBase, application: string): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.oid = 'public.audit_records'::regclass
       and c.relowner = current_user::regrole and n.nspowner = c.relowner`,
  );
  if (rowCount === 0) await client.query(protect(pg.escapeIdentifier(application)));
}

/**
 * Query that returns the current role as `role`, and whether it can change records of the audit log or remove their
 * protection: as superuser, by a privilege, or as the owner of the table, of a function, or of the schema.
 */
export const auditLogAccess = `
  select current_user as role,
    has_table_privilege(c.oid, 'update, delete, truncate, trigger')
      or pg_has_role(c.relowner, 'member') or pg_has_role(n.nspowner, 'member')
      or exists (
        select from pg_proc where pronamespace = n.oid and pg_has_role(proowner, 'member')
          and proname in ('hash_audit_record', 'append_audit_record', 'refuse_audit_change')
      ) as "canRewrite"
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.oid = 'audit_records'::regclass`;
