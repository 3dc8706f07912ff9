import type { ApprovedAction } from '#server/domain/staff/approvals.ts';
import type { Reviewables } from '#server/domain/staff/review.ts';
import { announcementAction } from '#server/features/announcements/send.ts';
import { correctionReview } from '#server/features/roster/correction-review.ts';
import { codesAction } from '#server/features/roster/codes-approval.ts';
import { invitationsAction } from '#server/features/roster/invitation-tasks.ts';
import { rosterApplyAction, rosterUndoAction } from '#server/features/roster/approved-actions.ts';
import { addressChangeAction, factorRemovalAction } from '#server/features/identity/account/staff-actions.ts';
import { consoleAccessAction, ownerRemovalAction, ownerRoleAction } from '#server/features/staff/approved-actions.ts';
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

export const allApprovedActions: readonly ApprovedAction[] = [
  addressChangeAction,
  announcementAction,
  codesAction,
  consoleAccessAction,
  factorRemovalAction,
  invitationsAction,
  ownerRemovalAction,
  ownerRoleAction,
  rosterApplyAction,
  rosterUndoAction,
  approvedExport,
];
