import type * as z from 'zod/mini';
import { type NotNull, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { ReportKind } from '#contract/report-values.ts';
import { type ActedReport, type StaffReport, maxActedReports } from '#contract/staff/reports.ts';
import type { PhotoModeration } from '#contract/gallery.ts';
import type { ReportOutcome } from '#contract/staff/values.ts';
import type { ProfileField } from '#contract/visibility.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import { isClassInScope } from '#server/domain/staff/class-scope.ts';
import { type Staff, isProfileInScope } from '#server/domain/staff/guard.ts';
import { deathOutcomes, outcomesFor } from './outcomes.ts';

/** Staff need a reason to look at fields that the person hides from members. */
const isShown = (field: ProfileField) => sql`p.visibility ->> ${sql.lit(field)} is distinct from 'me'`;

/** Condition that a report `r` and the others of its item only say that the person has died. */
export const isAboutDeath = sql<SqlBool>`(r.kind = 'profile' and r.reason = 'deceased' and not exists (
  select from reports o where o.item_id = r.id and o.is_confirmed and o.reason <> 'deceased'))`;

export interface ReportReader {
  readonly institution: Pick<Institution, 'colleges'>;
  readonly accountId: string;
  readonly scopes: readonly StaffScope[];
  /** The parts in which they read reports that only say that a person has died. */
  readonly deathScopes: readonly StaffScope[];
}

interface ReportRow {
  readonly id: string;
  readonly version: number;
  readonly kind: ReportKind;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
  readonly outcome: ReportOutcome | null;
  readonly subjectId: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly department: string | null;
  readonly yearGraduated: number | null;
  readonly portrait: string | null;
  readonly isProfileHidden: boolean;
  readonly suspendedUntil: Date | null;
  readonly photoId: string | null;
  readonly picture: string | null;
  readonly title: string;
  readonly album: string;
  readonly width: number;
  readonly height: number;
  readonly addedAt: Date | null;
  readonly moderation: PhotoModeration | null;
  readonly sentAt: Date | null;
  /** Whether the reader has the right `reports`, so that they see what else was decided about the person. */
  readonly isFull: boolean;
}

/**
 * Returns a report that has an item, if the reported person is in scope. Reports that belong to the item of another one
 * have no page. Staff do not see reports about themselves, because these show who sent them.
 * @returns null if it does not exist, is out of scope, or is about the member of staff
 */
export async function findStaffReport(
  db: Db,
  { institution, accountId, scopes, deathScopes }: ReportReader,
  id: string,
): Promise<ReportRow | null> {
  const isFull = isClassInScope(institution, scopes, 'r');
  const { rows } = await sql<ReportRow>`
    select r.id, r.version, r.kind, r.created_at as "createdAt", r.closed_at as "closedAt", r.outcome,
      a.id as "subjectId", coalesce(a.display_name, r.subject_name) as name, 
      case when a.id is null then r.subject_email when ${isShown('email')} then a.email end as email,
      case when ${isShown('department')} then p.department end as department,
      case when ${isShown('yearGraduated')} then p.year_graduated end as "yearGraduated", p.picture as portrait,
      a.profile_hidden_at is not null as "isProfileHidden", a.suspended_until as "suspendedUntil",
      f.id as "photoId", f.picture, f.title, f.album, f.width, f.height, f.created_at as "addedAt", f.moderation,
      m.sent_at as "sentAt", ${isFull} as "isFull"
    from reports r
    left join accounts a on a.id = r.subject_id
    left join profiles p on p.account_id = r.subject_id
    left join photos f on f.id = r.photo_id
    left join messages m on m.id = r.message_id
    where r.id = ${id} and r.is_confirmed and r.item_id is null and r.subject_id is distinct from ${accountId}::uuid
      and (${isFull} or (${isAboutDeath} and ${isClassInScope(institution, deathScopes, 'r')}))`.execute(db);
  return rows[0] ?? null;
}

export async function findActedReports(
  db: Db,
  institution: Pick<Institution, 'colleges'>,
  { scopes, accountId }: Pick<Staff, 'scopes' | 'accountId'>,
): Promise<z.input<typeof ActedReport>[]> {
  const { rows } = await sql<z.input<typeof ActedReport>>`
    select r.id, r.kind, r.outcome, r.closed_at as "closedAt", coalesce(a.display_name, r.subject_name) as name,
      coalesce(case
        when r.outcome = 'suspend' then a.suspended_until is not null
        when r.kind = 'photo' then f.moderation is not null
        else a.profile_hidden_at is not null end, false) as "isInEffect"
    from reports r left join accounts a on a.id = r.subject_id left join photos f on f.id = r.photo_id
    where r.closed_at is not null and r.item_id is null and r.outcome <> 'nothing'
      and r.subject_id is distinct from ${accountId}::uuid
      and ${isClassInScope(institution, scopes, 'r')}
    order by r.closed_at desc, r.id limit ${maxActedReports}`.execute(db);
  return rows;
}

export const pictureOf = ({ kind, picture, portrait }: ReportRow): string | null =>
  kind === 'photo' ? picture : kind === 'profile' ? portrait : null;

export async function describeStaffReport(
  db: Db,
  { scopes, deathScopes }: ReportReader,
  row: ReportRow,
): Promise<z.input<typeof StaffReport>> {
  const { id, subjectId, addedAt, isFull } = row;
  const outcomes = outcomesFor(row).filter((one) => isFull || (deathOutcomes as readonly string[]).includes(one));
  // The response encoder writes only the properties that the contract names.
  return {
    ...row,
    version: String(row.version),
    outcomes: row.closedAt ? [] : outcomes,
    subject: { ...row, id: subjectId, email: row.email ?? '' },
    photo: addedAt && { ...row, addedAt },
    hasPicture: pictureOf(row) !== null,
    reports: await findEntries(db, id, isProfileInScope(isFull ? scopes : deathScopes, 'p')),
    findings: subjectId === null || !isFull ? [] : await findFindings(db, id, subjectId),
  };
}

/** Returns the oldest first. Leaves out the names of members out of scope. */
async function findEntries(
  db: Db,
  itemId: string,
  isReporterInScope: RawBuilder<SqlBool>,
): Promise<z.input<typeof StaffReport>['reports']> {
  const { rows } = await sql<z.input<typeof StaffReport>['reports'][number]>`
    select r.id, r.reason, r.text, r.created_at as "createdAt",
      case when r.guest_email is not null then 'guest' when r.reporter_id is not null then 'member' else 'deleted' end as by,
      coalesce(r.guest_email, case when ${isReporterInScope} then coalesce(a.display_name, a.email) end) as reporter,
      e.reports as earlier, e.justified
    from reports r left join accounts a on a.id = r.reporter_id left join profiles p on p.account_id = r.reporter_id
    cross join lateral (
      select count(*)::int as reports, count(*) filter (where e.outcome <> 'nothing')::int as justified
      from reports e where e.closed_at is not null and e.id <> r.id
        and (e.reporter_id = r.reporter_id or e.guest_email = r.guest_email and e.is_confirmed)
        -- A reopened report counts by its last decision.
        and not exists (select from review_reopenings o where o.kind = 'report' and o.item_id = coalesce(e.item_id, e.id))
    ) as e
    where (r.id = ${itemId} or r.item_id = ${itemId}) and r.is_confirmed
    order by r.created_at, r.id`.execute(db);
  return rows;
}

async function findFindings(
  db: Db,
  itemId: string,
  subjectId: string,
): Promise<z.input<typeof StaffReport>['findings']> {
  const rows = await db
    .selectFrom('reports')
    .select(['id', 'kind', 'outcome', 'closed_at as closedAt'])
    .$narrowType<{ closedAt: NotNull }>()
    .where('subject_id', '=', subjectId)
    .where('id', '<>', itemId)
    .where('item_id', 'is', null)
    .where('closed_at', 'is not', null)
    .orderBy('closed_at', 'desc')
    .limit(20)
    .execute();
  return rows.map((row) => ({ ...row, outcome: row.outcome ?? 'nothing' }));
}
