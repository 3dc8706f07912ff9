import type { PersonState } from '#contract/staff/people.ts';
import { StatusPill } from '../ui/status-pill.tsx';
import { stateLabels } from './people-labels.ts';

/** The usual state is plain text. */
export const StatePills = ({ states }: { states: readonly PersonState[] }) => (
  <>
    {states.map((state) => {
      const { label, tone } = stateLabels[state];
      if (state === 'confirmed') return <span key={state}>{label}</span>;
      return (
        <StatusPill key={state} {...(tone && { tone })}>
          {label}
        </StatusPill>
      );
    })}
  </>
);
