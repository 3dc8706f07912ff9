import type { ComponentType, ReactNode } from 'react';
import type { Call } from '#contract/call.ts';
import type { DecisionOf } from '#contract/staff/review.ts';
import type { ReviewKind } from '#contract/staff/values.ts';

export interface ReviewDetailProps<Data, Kind extends ReviewKind> {
  readonly data: Data;
  /** The detail renders the notes below its own content, above the `DecisionBar`. */
  readonly notes: ReactNode;
  /** The queue then opens the next item at once, and reports errors itself. */
  readonly onDecide: (decision: DecisionOf<Kind>) => void;
  /** Loads the item again, after a change that is no decision. */
  readonly onChanged: () => void;
  /** The decision that could not be saved, so that its texts are not lost: initial values of the fields. */
  readonly failed: DecisionOf<Kind> | null;
}

export interface ReviewDetailDefinition<Data extends { readonly version: string }, Kind extends ReviewKind> {
  readonly label: string;
  readonly pluralLabel: string;
  /** Why an item is pending, by the code `reason`, as a short phrase for the list. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly outcomes: Readonly<Record<string, string>>;
  /** Runs on the server and in the browser. A decision is refused if `version` has changed since. */
  readonly load: (call: Call, id: string) => Promise<Data>;
  /**
   * Returns how a decision is taken back that has taken effect, as a sentence with a link. Null, and without it: the
   * item can be reopened.
   * @param outcome of the decision
   */
  readonly takeBack?: (data: Data, outcome: string) => ReactNode;
  readonly Component: ComponentType<ReviewDetailProps<Data, Kind>>;
}

export type ReviewDetail = ReviewDetailDefinition<{ readonly version: string }, ReviewKind>;
export type ReviewDetails = Readonly<Record<ReviewKind, ReviewDetail>>;

/** Checks that a detail gets the data that it loads, and erases their type, so that all kinds fit into one list. */
export const defineReviewDetail = <Data extends { readonly version: string }, Kind extends ReviewKind>(
  detail: ReviewDetailDefinition<Data, Kind>,
): ReviewDetail => detail as unknown as ReviewDetail;
