import type { ReviewItem, ReviewNote, ReviewQueue } from '#contract/staff/review.ts';
import { type ItemState, type ReviewKind, reviewKinds } from '#contract/staff/values.ts';
import type { Call } from '#contract/call.ts';
import { reviewDetails } from './review-details.ts';

/** An item with everything that its detail shows. */
export interface OpenedItem {
  readonly item: ReviewItem;
  readonly notes: readonly ReviewNote[];
  readonly data: { readonly version: string };
}

/** What the review queue loads. */
export interface ReviewData {
  readonly queue: ReviewQueue;
  /** Whether the list has the items that wait, or those that are decided. */
  readonly state: ItemState;
  /** The kind that the list is filtered by. */
  readonly kind: ReviewKind | undefined;
  /** The item in the URL; null without one, and if it does not exist. */
  readonly opened: OpenedItem | null;
}

type ItemId = Pick<ReviewItem, 'kind' | 'id'>;

/** Returns the part of the URL that names an item, such as `claim-0190…`. */
export const keyOf = ({ kind, id }: ItemId): string => `${kind}-${id}`;

/** Returns the item that a part of the URL names, or null. */
export function itemOfKey(key: string): ItemId | null {
  const [kind, ...id] = key.split('-');
  return isReviewKind(kind) ? { kind, id: id.join('-') } : null;
}

export const isReviewKind = (kind: unknown): kind is ReviewKind => reviewKinds.includes(kind as ReviewKind);

/** Loads an item with its notes and its detail. @throws ApiError, `not-found` if it was deleted or is out of scope */
export async function loadItem(call: Call, { kind, id }: ItemId): Promise<OpenedItem> {
  const [{ item, notes }, data] = await Promise.all([
    call('GET /api/staff/queue/{kind}/{id}', { params: { kind, id } }),
    reviewDetails[kind].load(call, id),
  ]);
  return { item, notes, data };
}

/** Returns why an item waits, as a short phrase. */
export const reasonInWords = ({ kind, reason }: ReviewItem): string =>
  reviewDetails[kind].reasons[reason] ?? reason.replaceAll('-', ' ');

/** Returns what a decision did, such as "Confirmed". */
export const outcomeInWords = (kind: ReviewKind, outcome: string): string =>
  reviewDetails[kind].outcomes[outcome] ?? 'Decided';

/** The name of an item without a person. */
export const nameOf = ({ name }: Pick<ReviewItem, 'name'>): string => name ?? 'Unknown person';
