import { definePage } from './define-page.ts';
import { ReviewPage } from './review/review-page.tsx';
import { loadReview } from './review/review-queue.ts';

definePage('review', { load: loadReview, Component: ReviewPage });

export { StaffPage } from './staff-frame.tsx';
export { shouldReviewLoad, staffLoader } from './staff-loader.ts';
