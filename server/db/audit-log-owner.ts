import type pg from 'pg';
import { applicationRole, auditOwnerRole } from './application-role.ts';

/**
 * Makes `auditOwnerRole` the owner of the audit log, so that the application can only read and append records (decision 80). The role
 * also gets the schema, because the owner of a schema can drop everything in it.
 */
const protect = `
  alter schema public owner to ${auditOwnerRole};
  grant usage, create on schema public to ${applicationRole};
  alter table public.audit_records owner to ${auditOwnerRole};
  alter function public.hash_audit_record(bytea, public.audit_records) owner to ${auditOwnerRole};
  alter function public.append_audit_record(uuid, text, text, text, jsonb) owner to ${auditOwnerRole};
  alter function public.refuse_audit_change() owner to ${auditOwnerRole};
  revoke all on public.audit_records from public, ${applicationRole};
  grant select, insert on public.audit_records to ${applicationRole}`;

/** Gives the audit log of the embedded database its own owner, unless it has it. @param client connected as that owner */
export async function protectAuditLog(client: pg.ClientBase): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where c.oid = 'public.audit_records'::regclass
       and c.relowner = $1::regrole and n.nspowner = c.relowner`,
    [auditOwnerRole],
  );
  if (rowCount === 0) await client.query(protect);
}

/**
 * Query that returns the current role as `role`, and whether it can change records of the audit log or remove their protection: as
 * superuser, by a privilege, or as the owner of the table, of a function, or of the schema.
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
