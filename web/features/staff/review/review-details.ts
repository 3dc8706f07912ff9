import { changeDetail } from './change-detail.tsx';
import { claimDetail } from './claim-detail.tsx';
import { correctionDetail } from './correction-detail.tsx';
import { disputeDetail } from './dispute-detail.tsx';
import { reportDetail } from './report-detail.tsx';
import type { ReviewDetails } from './review-detail.ts';

export const reviewDetails: ReviewDetails = {
  claim: claimDetail,
  dispute: disputeDetail,
  report: reportDetail,
  correction: correctionDetail,
  change: changeDetail,
};
