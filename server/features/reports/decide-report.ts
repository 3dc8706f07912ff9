import { sql } from 'kysely';
import type { ReportOutcome } from '#contract/staff/values.ts';
import { type Db, now } from '#server/db/client.ts';
import {
  type Moderation,
  hidePhoto,
  hideProfile,
  restorePhoto,
  suspendAccount,
  suspensionDays,
  takeDownPhoto,
} from '#server/domain/staff/moderation.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { reportOutcomeMailJob } from './jobs.ts';
import { type ReportItem, outcomesFor } from './outcomes.ts';

interface Decision {
  readonly outcome: ReportOutcome;
  /** Text for the owner of what was reported. Not sent with the outcome `nothing`. */
  readonly text?: string;
  readonly note?: string;
}

/**
 * Carries out a decision about an item: acts, closes all its open reports, notifies the reporters, and records one
 * action in the audit log.
 * @param id the report that has the item
 * @param actor account of the member of staff; null for the operator
 * @returns null, or why nothing was changed, as text for staff
 */
export async function decideReport(
  tx: Db,
  id: string,
  { outcome, text = '', note = '' }: Decision,
  actor: string | null,
): Promise<string | null> {
  const item = await lockItem(tx, id);
  if (!item) return 'The report is already closed.';
  if (actor !== null && item.subjectId === actor)
    return 'The report is about the member of staff who decided it. Another member of staff must decide.';
  if (!outcomesFor(item).includes(outcome)) return impossible(item, outcome);
  const failure = await carryOut(tx, item, outcome, { actor, reportId: id, text });
  if (failure !== null) return failure;
  const closed = await tx
    .updateTable('reports')
    .set({ closed_at: now, outcome, closing_note: note })
    .where((eb) => eb.or([eb('id', '=', id), eb('item_id', '=', id)]))
    .where('closed_at', 'is', null)
    .where('is_confirmed', '=', true)
    .returning(['id as reportId', 'reporter_id as reporterId', 'guest_email as guestEmail'])
    .execute();
  for (const { reportId, reporterId, guestEmail } of closed)
    if (reporterId !== null) await notify(tx, reporterId, outcome === 'nothing' ? 'report-no-action' : 'report-acted');
    else if (guestEmail !== null) await reportOutcomeMailJob.queue(tx, { reportId });
  return null;
}

async function lockItem(tx: Db, id: string): Promise<ReportItem | null> {
  const { rows } = await sql<ReportItem>`
    select r.id, r.kind, r.subject_id as "subjectId", r.photo_id as "photoId", p.moderation,
      a.profile_hidden_at is not null as "isProfileHidden"
    from reports r left join photos p on p.id = r.photo_id left join accounts a on a.id = r.subject_id
    where r.id = ${id} and r.item_id is null and r.is_confirmed and r.closed_at is null
    for update of r`.execute(tx);
  return rows[0] ?? null;
}

function impossible({ kind, subjectId }: ReportItem, outcome: ReportOutcome): string {
  if (outcome === 'suspend' || (kind === 'profile' && subjectId === null)) return 'The account was deleted.';
  if (kind === 'message') return 'A message cannot be hidden, because it was only sent by email.';
  return kind === 'photo' ? 'The photo was deleted, or is hidden already.' : 'The profile is hidden already.';
}

async function carryOut(tx: Db, item: ReportItem, outcome: ReportOutcome, by: Moderation): Promise<string | null> {
  const { id, kind, subjectId, photoId, moderation } = item;
  switch (outcome) {
    case 'hide':
      return kind === 'photo' ? hidePhoto(tx, photoId ?? '', by) : hideProfile(tx, subjectId ?? '', by);
    case 'take-down':
      return takeDownPhoto(tx, photoId ?? '', by);
    case 'suspend': {
      const failure = await suspendAccount(tx, subjectId ?? '', await findSuspensionEnd(tx, subjectId ?? ''), by);
      // The finding is justified, so the photo stays hidden after the suspension.
      if (failure === null && photoId !== null && moderation === 'reported')
        await tx.updateTable('photos').set({ moderation: 'hidden' }).where('id', '=', photoId).execute();
      return failure;
    }
    case 'nothing':
      if (photoId !== null && moderation === 'reported') return restorePhoto(tx, photoId, { ...by, text: '' });
      await recordStaffAction(tx, { actor: by.actor, action: 'report-closed', subject: { kind: 'report', id } });
      return null;
    default:
      return outcome satisfies never;
  }
}

/** An earlier decision may have suspended the account for longer. */
async function findSuspensionEnd(tx: Db, accountId: string): Promise<Date> {
  const { rows } = await sql<{ end: Date }>`
    select greatest(suspended_until, now() + make_interval(days => ${suspensionDays})) as "end"
    from accounts where id = ${accountId}`.execute(tx);
  return rows[0]?.end ?? new Date();
}
