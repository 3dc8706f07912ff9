import type { CollectMyData } from '../../domain/my-data.ts';

/** Collects the reports that a user has sent. Reports about the user are omitted, because they would reveal who sent them. */
export const collectReportData: CollectMyData = async ({ db }, { account }) => {
  const reports = await db
    .selectFrom('reports')
    .select(['kind', 'subject_id', 'reason', 'text', 'created_at', 'closed_at'])
    .where('reporter_id', '=', account.id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return {
    account: {
      reports: reports.map(({ kind, subject_id, reason, text, created_at, closed_at }) => ({
        kind,
        about: subject_id,
        reason,
        text,
        sentAt: created_at,
        closedAt: closed_at,
      })),
    },
  };
};
