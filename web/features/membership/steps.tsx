import type { ReactNode } from 'react';
import { Icon } from '#web/ui/icon.tsx';

interface Step {
  readonly title: string;
  readonly detail: ReactNode;
  readonly state: 'done' | 'current' | 'open';
}

const marks = {
  done: 'border-2 border-brand bg-brand text-on-fill',
  current: 'border-2 border-brand',
  open: 'border-2 border-line-strong',
};

const stateLabels = { done: 'Done: ', current: 'Now: ', open: 'Next: ' };

export const Steps = ({ steps }: { steps: readonly Step[] }) => (
  <ol className="grid">
    {steps.map(({ title, detail, state }, at) => (
      <li
        key={title}
        aria-current={state === 'current' ? 'step' : undefined}
        className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3"
      >
        <span aria-hidden="true" className="grid grid-rows-[1.75rem_1fr] justify-items-center">
          <span className={`grid size-7 place-items-center rounded-full ${marks[state]}`}>
            {state === 'done' && <Icon name="check" className="size-4" />}
            {state === 'current' && <span className="size-3 rounded-full bg-brand" />}
          </span>
          {at < steps.length - 1 && <span className={`w-0.5 ${state === 'done' ? 'bg-brand' : 'bg-line-strong'}`} />}
        </span>
        <span className={at < steps.length - 1 ? 'pb-6' : ''}>
          <span className={`block pt-0.75 leading-snug text-balance ${state === 'open' ? '' : 'font-semibold'}`}>
            <span className="sr-only">{stateLabels[state]}</span>
            {title}
          </span>
          <span className="block text-sm wrap-anywhere text-ink-soft">{detail}</span>
        </span>
      </li>
    ))}
  </ol>
);
