import type { PersonState } from '#contract/staff/people.ts';
import { StatusPill } from '../ui/status-pill.tsx';
import { stateLabels } from './people-labels.ts';

export const StatePills = ({ states }: { states: readonly PersonState[] }) => (
  <>
    {states.map((state) => {
      const { label, tone } = stateLabels[state];
      return (
        <StatusPill key={state} {...(tone && { tone })}>
          {label}
        </StatusPill>
      );
    })}
  </>
);
