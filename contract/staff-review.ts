import * as z from 'zod/mini';
import { Id, prose } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';

/** Kinds of items in the review queue. */
export const reviewKinds = ['claim', 'dispute', 'report', 'correction'] as const;
export type ReviewKind = (typeof reviewKinds)[number];

const Text = prose(fieldLengths.messageMax);
const OptionalText = z.optional(z.union([z.literal(''), Text]));

/** Outcomes of a report. `hide` hides until it is restored; `take-down` deletes a photo after 30 days; `suspend` is for 7 days. */
export const reportOutcomes = ['nothing', 'hide', 'take-down', 'suspend'] as const;

/** A decision about an item. It takes effect after 30 seconds, until then it can be undone. */
export const ReviewDecision = z.discriminatedUnion('outcome', [
  /** A claim: the entry is this person. Null: the person is on no roster. */
  z.strictObject({ outcome: z.literal('confirm'), entryId: z.nullable(z.int()), seen: Text }),
  /** A claim. The user reads the reason. */
  z.strictObject({ outcome: z.literal('reject'), reason: Text, isImpostor: z.optional(z.boolean()) }),
  /** A dispute: the holder keeps the entry, or the other account gets it. */
  z.strictObject({ outcome: z.enum(['keep', 'transfer']), isImpostor: z.optional(z.boolean()) }),
  /** A report. The reporter gets no text; the reported person reads `text`. */
  z.strictObject({ outcome: z.enum(reportOutcomes), text: OptionalText }),
  /** A correction. */
  z.strictObject({ outcome: z.enum(['accept', 'refuse']), text: OptionalText }),
]);
export type ReviewDecision = z.infer<typeof ReviewDecision>;

/** An item of the queue, without names: its page shows them. */
export const ReviewItem = z.object({
  kind: z.enum(reviewKinds),
  id: Id,
  /** Since when it waits. */
  since: z.string(),
});
