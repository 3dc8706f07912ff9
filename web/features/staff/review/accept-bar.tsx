import type { OutcomeOf } from '#contract/staff/review.ts';
import { DecisionBar } from './decision-bar.tsx';
import { TextPanel } from './decision-panels.tsx';
import type { ReviewDetailProps } from './review-detail.ts';

interface Props extends Pick<ReviewDetailProps<unknown, 'correction' | 'change'>, 'onDecide' | 'failed'> {
  thing: string;
  reader: string;
  accept?: 'Accept' | 'Close';
  acceptHint: string;
  refuseHint: string;
  refusals: readonly { readonly label: string; readonly text: string }[];
}

export function AcceptBar({
  thing,
  reader,
  accept = 'Accept',
  acceptHint,
  refuseHint,
  refusals,
  onDecide,
  failed,
}: Props) {
  const textOf = (outcome: OutcomeOf<'correction'>): string => (failed?.outcome === outcome ? (failed.text ?? '') : '');
  return (
    <DecisionBar
      actions={[
        {
          id: 'accept',
          label: accept,
          shortcut: 'a',
          variant: 'strong',
          panel: (
            <TextPanel
              title={`${accept} this ${thing}?`}
              hint={acceptHint}
              label={`Message to the ${reader} (optional)`}
              action={accept}
              initialText={textOf('accept')}
              onDecide={(text) => onDecide({ outcome: 'accept', text })}
            />
          ),
        },
        {
          id: 'refuse',
          label: 'Refuse',
          shortcut: 'r',
          panel: (
            <TextPanel
              title={`Refuse this ${thing}?`}
              hint={refuseHint}
              label={`Reason (the ${reader} reads it)`}
              presets={refusals}
              isRequired
              action="Refuse"
              initialText={textOf('refuse')}
              onDecide={(text) => onDecide({ outcome: 'refuse', text })}
            />
          ),
        },
      ]}
      openAtFirst={failed?.outcome}
    />
  );
}
