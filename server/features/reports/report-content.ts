import { sql } from 'kysely';
import { type ContentKind, type ReportResult, contentReasons, maxHiddenPhotos } from '#contract/report-values.ts';
import type { ContentReport } from '#contract/reports.ts';
import type { Db } from '#server/db/client.ts';
import { type Principal, isMemberPrincipal } from '#server/domain/accounts/authentication.ts';
import type { Context } from '#server/domain/context.ts';
import { hideReportedPhoto } from '#server/domain/staff/moderation.ts';
import { findPerson, toDisplayName } from '#server/domain/people/people.ts';
import { canSeePhoto, toPhotoViewer } from '#server/domain/people/photos.ts';
import { findItemScope } from '#server/domain/roster/item-scope.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { toProfile } from '#server/domain/people/visibility.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';
import type { Network } from '#server/platform/limits/networks.ts';
import { confirmReportMailJob } from './jobs.ts';

const hiddenPhotosDays = 30;

interface Content {
  readonly kind: ContentKind;
  readonly id: string;
  readonly subjectId: string;
  readonly title: string;
}

/**
 * @throws ProblemError not-found if it does not exist or the caller cannot see it, permission-denied if it is the
 *   caller's own
 */
export async function requireContent(
  { db, institution }: Context,
  principal: Principal,
  kind: ContentKind,
  id: string,
): Promise<Content> {
  const viewer = toPhotoViewer(principal?.account);
  const content = kind === 'photo' ? await findVisiblePhoto() : await findVisibleProfile();
  if (!content) throw new ProblemError('not-found');
  if (content.subjectId === viewer.accountId)
    throw new ProblemError('permission-denied', {
      detail: kind === 'photo' ? 'This is your own photo. You can remove it.' : 'This is your own profile.',
    });
  return content;

  async function findVisibleProfile(): Promise<Content | null> {
    const person = await findPerson(db, id);
    if (!person || (id !== viewer.accountId && !toProfile(person, viewer.audience, institution))) return null;
    return { kind, id, subjectId: id, title: toDisplayName(person) };
  }
  async function findVisiblePhoto(): Promise<Content | null> {
    const photo = await db
      .selectFrom('photos as p')
      .select(['p.account_id as subjectId', 'p.title'])
      .where('p.id', '=', id)
      .where(canSeePhoto(viewer))
      .executeTakeFirst();
    return photo ? { kind, id, ...photo } : null;
  }
}

/**
 * Saves a report about a profile or a photo. The report of a signed-in user with a verified address counts at once,
 * that of anyone else after a link in a mail was opened. A member who is in a photo hides it at once, at most five
 * times in 30 days, and a photo only until staff have decided.
 * @throws ProblemError validation-failed, auth/too-many-requests; those of `requireContent`
 */
export async function reportContent(
  context: Context,
  principal: Principal,
  content: Content,
  { reason, text = '', email = '' }: ContentReport,
  networks: readonly Network[],
): Promise<ReportResult> {
  const { db, limiter } = context;
  const reasons: readonly string[] = contentReasons[content.kind];
  if (!reasons.includes(reason)) throw invalidField('/reason', 'Choose a reason');
  if (reason === 'other' && text === '') throw invalidField('/text', 'Describe the problem');
  const report = { ...content, reason, text };
  if (principal?.account.emailVerified) {
    const hasHidden = await db.transaction().execute(async (tx) => {
      const { id } = await lockAccountOfSession(tx, principal);
      await limiter.requireAttempt(tx, 'reportsByReporter', id);
      const isHiding =
        content.kind === 'photo' &&
        reason === 'in-picture' &&
        isMemberPrincipal(principal) &&
        (await countHiddenPhotos(tx, id)) < maxHiddenPhotos &&
        !(await hasHiddenBefore(tx, id, content.id)) &&
        (await hideReportedPhoto(tx, content.id));
      await saveReport(tx, report, principal, isHiding);
      return isHiding;
    });
    if (hasHidden) context.listCache.clear();
    return hasHidden ? 'hidden' : 'sent';
  }
  if (email === '') throw invalidField('/email', 'Enter your email address');
  await limiter.requireAttempt(db, 'guestReportsByAddress', networks);
  await db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('reports')
      .values({
        ...toRow(report),
        ...(await findItemScope(tx, content.subjectId, null)),
        guest_email: email,
        is_confirmed: false,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await confirmReportMailJob.queue(tx, { reportId: id });
  });
  return 'check-mail';
}

type NewReport = Content & { readonly reason: string; readonly text: string };

const toRow = ({ kind, id, subjectId, reason, text }: NewReport) => ({
  kind,
  subject_id: subjectId,
  photo_id: kind === 'photo' ? id : null,
  reason,
  text,
});

async function saveReport(tx: Db, report: NewReport, { account }: Session, hasHidden: boolean): Promise<void> {
  const row = toRow(report);
  const scope = await findItemScope(tx, report.subjectId, null);
  const { rows } = await sql<{ id: string }>`
    insert into reports (kind, subject_id, photo_id, reporter_id, reason, text, has_hidden, college, department, year_graduated)
    values (${row.kind}, ${row.subject_id}, ${row.photo_id}, ${account.id}, ${row.reason}, ${row.text}, ${hasHidden}, ${scope.college},
      ${scope.department}, ${scope.year_graduated})
    on conflict (reporter_id, kind, coalesce(photo_id, subject_id)) where closed_at is null and kind <> 'message'
      do update set reason = excluded.reason, text = excluded.text, has_hidden = reports.has_hidden or excluded.has_hidden,
        -- The limit of hidden photos counts from now.
        created_at = case when excluded.has_hidden then now() else reports.created_at end
    returning id`.execute(tx);
  await joinItem(tx, rows[0]?.id ?? '');
}

/**
 * Adds a report to the open item about the same thing, if there is one, so that staff decide them together. Changes the
 * version of the item, because staff see the report.
 */
export async function joinItem(tx: Db, reportId: string): Promise<void> {
  // Of two first reports at the same time, the second waits for the first.
  await lockContent(tx, reportId);
  await sql`
    with own as (select id, kind, photo_id, subject_id from reports where id = ${reportId}),
    item as (
      select i.id from reports i join own o on i.kind = o.kind and i.id <> o.id
        and coalesce(i.photo_id, i.subject_id) = coalesce(o.photo_id, o.subject_id)
      where i.closed_at is null and i.is_confirmed and i.item_id is null
      order by i.created_at, i.id limit 1),
    joined as (update reports set item_id = item.id from item where reports.id = ${reportId} and item_id is null)
    update reports set version = version + 1
    where id = coalesce((select id from item), ${reportId}::uuid)`.execute(tx);
}

/** Locks what a report is about, so that it gets one open item. */
export async function lockContent(tx: Db, reportId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('report ' || coalesce(photo_id, subject_id)::text)) from reports
    where id = ${reportId}`.execute(tx);
}

async function countHiddenPhotos(tx: Db, accountId: string): Promise<number> {
  const { photos } = await tx
    .selectFrom('reports')
    .select(sql<number>`count(*)::int`.as('photos'))
    .where('reporter_id', '=', accountId)
    .where('has_hidden', '=', true)
    .where('created_at', '>', sql<Date>`now() - make_interval(days => ${hiddenPhotosDays})`)
    .executeTakeFirstOrThrow();
  return photos;
}

/** Returns whether staff have decided about an earlier report: then the member cannot hide the photo again. */
async function hasHiddenBefore(tx: Db, accountId: string, photoId: string): Promise<boolean> {
  const earlier = await tx
    .selectFrom('reports')
    .select('id')
    .where('reporter_id', '=', accountId)
    .where('photo_id', '=', photoId)
    .where('has_hidden', '=', true)
    .where('closed_at', 'is not', null)
    .executeTakeFirst();
  return earlier !== undefined;
}
