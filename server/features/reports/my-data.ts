import type { CollectMyData } from '#server/domain/my-data.ts';

/** Omits reports about the user, because they would reveal who sent them. */
export const collectReportData: CollectMyData = async ({ db }, { account }) => {
  const reports = await db
    .selectFrom('reports')
    .select(['kind', 'subject_id as about', 'reason', 'text', 'created_at as sentAt', 'closed_at as closedAt'])
    .where('reporter_id', '=', account.id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return { account: { reports } };
};
