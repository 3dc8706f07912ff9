import type { ApprovedAct } from './domain/staff/approvals.ts';
import type { Reviewables } from './domain/staff/review.ts';
import { announcementAct } from './features/announcements/send.ts';
import { correctionReview } from './features/roster/correction-review.ts';
import { codesAct } from './features/roster/codes-approval.ts';
import { rosterApplyAct, rosterUndoAct } from './features/roster/approved-acts.ts';
import { addressChangeAct, factorRemovalAct } from './features/identity/account/staff-acts.ts';
import { consoleAccessAct, ownerRemovalAct, ownerRoleAct } from './features/staff/approved-acts.ts';
import { changeReview, claimReview, disputeReview } from './features/membership/reviewables.ts';
import { reportReview } from './features/reports/review.ts';
import { approvedExport } from './features/staff-people/exports/make-export.ts';

/** The kinds of items in the review queue, each from the feature that owns them. */
export const allReviewables: Reviewables = {
  claim: claimReview,
  dispute: disputeReview,
  report: reportReview,
  correction: correctionReview,
  change: changeReview,
};

/** What happens when a request is approved, each from the feature that owns the act. */
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
