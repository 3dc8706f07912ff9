import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { EntryFile } from '#contract/staff/entries.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { namesAgree } from '#server/domain/membership/identity-agreement.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { type FoundFile, findEntryFile } from '#server/domain/roster/entry-search.ts';
import { countPrintableEntries } from '#server/domain/roster/printed-codes.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { toWordQuery } from '#server/domain/search/word-query.ts';
import { type Staff, findScopes, isProfileInScope } from '#server/domain/staff/guard.ts';
import { foundColumns } from './person-states.ts';

const maxCandidates = 5;

export async function findFileOfEntry(
  { db, institution }: Pick<Context, 'db' | 'institution'>,
  { accountId: callerId, scopes }: Pick<Staff, 'accountId' | 'scopes'>,
  id: number,
): Promise<z.input<typeof EntryFile> | null> {
  const found = await findEntryFile(db, institution, scopes, id);
  if (!found) return null;
  const { file } = found;
  const scopesOf = await findScopes(db, callerId);
  const canLink = !file.hasAccount && (await requiresConfirmation(db));
  return {
    ...file,
    candidates: canLink ? await findAccountsOf(db, scopes, callerId, found) : [],
    canPrint:
      scopesOf('roster').length > 0 &&
      institution.acceptedEvidence.includes('printed-code') &&
      (await countPrintableEntries(db, { entryId: id })) > 0,
    canCorrect: file.marks.every((mark) => mark === 'contested' || mark === 'wrong-address'),
    canLink,
  };
}

async function findAccountsOf(
  db: Db,
  scopes: readonly StaffScope[],
  callerId: string,
  { file: { matricNumber, firstName, lastName }, email, claimants }: FoundFile,
): Promise<z.input<typeof EntryFile>['candidates']> {
  type Candidate = Omit<z.input<typeof EntryFile>['candidates'][number], 'hasSameName'>;
  const { rows } = await sql<Candidate & { names: { firstName: string; lastName: string } }>`
    select ${foundColumns}, exists (select from roster_links l where l.account_id = a.id) as "hasEntry",
      json_build_object('firstName', p.first_name, 'lastName', p.last_name) as names
    from (
      select unnest(${[...claimants]}::uuid[]) as id, 1 as rank
      union all select account_id, 1 from profiles where matric_key(matric_number) = ${toMatricKey(matricNumber)}
      union all select id, 1 from accounts where email = ${email}
      union all select account_id, 2 from person_words where words @@ ${toWordQuery(`${firstName} ${lastName}`)}::tsquery
    ) as found join accounts a on a.id = found.id join profiles p on p.account_id = a.id
    where a.is_active and a.email_verified and a.id <> ${callerId} and ${isProfileInScope(scopes, 'p')}
    group by a.id, p.account_id
    order by min(found.rank), a.created_at desc, a.id limit ${sql.lit(maxCandidates)}`.execute(db);
  return rows.map(({ names, ...account }) => ({
    ...account,
    hasSameName: namesAgree(names, { firstName, lastName }),
  }));
}
