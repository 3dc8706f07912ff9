/*
 * Mails to many people are queued in batches, with a delay between batches. Mail servers reject senders that send to
 * all recipients at the same time.
 */

export const bulkBatchSize = 100;

export const bulkBatchDelaySeconds = 600;
