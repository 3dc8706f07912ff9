import type { ReviewItem, ReviewNote, ReviewQueue } from '#contract/staff/review.ts';
import { type ItemState, type ReviewKind, reviewKinds } from '#contract/staff/values.ts';
import type { Call } from '#contract/call.ts';
import { reviewDetails } from './review-details.ts';

export interface OpenedItem {
  readonly item: ReviewItem;
  readonly notes: readonly ReviewNote[];
  readonly data: { readonly version: string };
}

export interface QueueFilter {
  readonly kind: ReviewKind | undefined;
  readonly name: string | undefined;
  readonly department: string | undefined;
  /** Whether claims with an open question are left out. */
  readonly hideAsked: 'yes' | undefined;
}

export interface ReviewData {
  readonly queue: ReviewQueue;
  readonly state: ItemState;
  readonly filter: QueueFilter;
  readonly departments: readonly string[];
  /** Null without an item in the URL, and if it does not exist. */
  readonly opened: OpenedItem | null;
}

type ItemId = Pick<ReviewItem, 'kind' | 'id'>;

export const keyOf = ({ kind, id }: ItemId): string => `${kind}-${id}`;

export function itemOfKey(key: string): ItemId | null {
  const [kind, ...id] = key.split('-');
  return isReviewKind(kind) ? { kind, id: id.join('-') } : null;
}

export const isReviewKind = (kind: unknown): kind is ReviewKind => reviewKinds.includes(kind as ReviewKind);

/** @throws ApiError, `not-found` if the item was deleted or is out of scope */
export async function loadItem(call: Call, { kind, id }: ItemId): Promise<OpenedItem> {
  const [{ item, notes }, data] = await Promise.all([
    call('GET /api/staff/queue/{kind}/{id}', { params: { kind, id } }),
    reviewDetails[kind].load(call, id),
  ]);
  return { item, notes, data };
}

export const reasonOf = ({ kind, reason }: ReviewItem): string =>
  reviewDetails[kind].reasons[reason] ?? reason.replaceAll('-', ' ');

export const outcomeLabelOf = (kind: ReviewKind, outcome: string): string =>
  reviewDetails[kind].outcomes[outcome] ?? 'Decided';

export const nameOf = ({ name }: Pick<ReviewItem, 'name'>): string => name ?? 'Unknown person';
