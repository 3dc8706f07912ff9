/** Acts that need a second person. */
export const approvalKinds = ['people-export', 'announcement', 'roster-apply', 'roster-undo', 'owner-role'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** `approved`: its job has not run yet. */
export const approvalStates = ['waiting', 'approved', 'refused', 'cancelled', 'done', 'failed'] as const;
export type ApprovalState = (typeof approvalStates)[number];

/** An export of more people needs an approval. */
export const exportApprovalAbove = 100;

/** An announcement to more people needs an approval. */
export const announcementApprovalAbove = 500;
