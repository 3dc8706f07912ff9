import type { ReviewDetails } from './review-detail.ts';

/** How the queue shows each kind of item. */
export const reviewDetails: ReviewDetails = {};
