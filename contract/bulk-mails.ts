/*
 * Mails to many people are queued in batches, with a delay between batches. Mail servers reject senders that send to all recipients at the
 * same time.
 */

/** Number of mails in a batch. */
export const bulkBatchSize = 100;

/** Seconds between batches. */
export const bulkBatchDelaySeconds = 600;
