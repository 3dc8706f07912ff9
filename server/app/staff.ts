import type { ApprovedAct } from '#server/domain/staff/approvals.ts';
import type { Reviewables } from '#server/domain/staff/review.ts';
import { announcementAct } from '#server/features/announcements/send.ts';
import { correctionReview } from '#server/features/roster/correction-review.ts';
import { codesAct } from '#server/features/roster/codes-approval.ts';
import { rosterApplyAct, rosterUndoAct } from '#server/features/roster/approved-acts.ts';
import { addressChangeAct, factorRemovalAct } from '#server/features/identity/account/staff-acts.ts';
import { consoleAccessAct, ownerRemovalAct, ownerRoleAct } from '#server/features/staff/approved-acts.ts';
import { changeReview, claimReview, disputeReview } from '#server/features/membership/reviewables.ts';
import { reportReview } from '#server/features/reports/review.ts';
import { approvedExport } from '#server/features/staff-people/exports/make-export.ts';

export const allReviewables: Reviewables = {
  claim: claimReview,
  dispute: disputeReview,
  report: reportReview,
  correction: correctionReview,
  change: changeReview,
};

export const allApprovedActs: readonly ApprovedAct[] = [
  addressChangeAct,
  announcementAct,
  codesAct,
  consoleAccessAct,
  factorRemovalAct,
  ownerRemovalAct,
  ownerRoleAct,
  rosterApplyAct,
  rosterUndoAct,
  approvedExport,
];
