import { Icon } from '#web/ui/icon.tsx';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { onboardingSteps } from '#contract/profile.ts';
import { paths } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Mark } from '#web/ui/logo.tsx';

interface Props {
  step: number;
  heading: string;
  purpose: string;
  aside: ReactNode;
  children: ReactNode;
}

/** The form is at most 400 px wide (specification, section 9). */
export function StepFrame({ step, heading, purpose, aside, children }: Props) {
  const { institution } = useRootData();
  const title = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  // Moves the focus to the heading, so that screen readers announce the new step.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    else title.current?.focus({ preventScroll: true });
  }, [step]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[300px_1fr]">
      <aside
        className="wizard-progress bg-deep px-4 text-white lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:p-8"
        aria-label="Progress"
      >
        <div className="flex h-14 items-center gap-4 lg:grid lg:h-auto lg:justify-start lg:gap-12">
          <Link
            to={paths.dashboard}
            aria-label={`${institution.abbreviation} alumni archive, dashboard`}
            className="flex min-h-11 items-center gap-3 rounded-control font-bold outline-offset-4 focus-visible:outline-white"
          >
            <Mark className="size-9 rounded-lg border border-on-deep-line" />
            <span className="hidden lg:inline">{institution.abbreviation} alumni archive</span>
          </Link>
          <svg
            className="h-1.5 min-w-0 grow lg:hidden"
            preserveAspectRatio="none"
            viewBox="0 0 99 1"
            aria-hidden="true"
          >
            {onboardingSteps.map(({ heading: of }, index) => (
              <rect
                key={of}
                x={index * 20}
                width={19}
                height={1}
                className={index < step ? 'fill-white' : 'fill-deep-bright'}
              />
            ))}
          </svg>
          <p className="shrink-0 font-semibold nums">
            Step {step}/{onboardingSteps.length}
          </p>
        </div>
        <ol className="mt-6 hidden gap-5 lg:grid">
          {onboardingSteps.map((item, index) => (
            <StepLine key={item.heading} number={index + 1} heading={item.heading} current={step} />
          ))}
        </ol>
      </aside>
      <div className="flex justify-center gap-16 px-4 pt-6 pb-28 lg:px-12 lg:py-16 xl:gap-24">
        <main className="w-full max-w-[400px] max-lg:[&_input]:scroll-mb-12">
          <h1 ref={title} tabIndex={-1} className="text-2xl font-bold">
            {heading}
          </h1>
          <p className="mt-1 mb-6 text-ink-soft">{purpose}</p>
          {children}
          <p className="mt-8 border-t border-line pt-4 text-sm text-ink-soft">
            This browser keeps your answers for seven days, until you finish or sign out.
          </p>
          <p className="flex flex-wrap gap-x-6">
            <Link className="link inline-flex min-h-11 items-center" to={paths.dashboard}>
              Continue later
            </Link>
            <Link className="link inline-flex min-h-11 items-center" to={paths.account}>
              Your account
            </Link>
          </p>
        </main>
        {aside}
      </div>
    </div>
  );
}

function StepLine({ number, heading, current }: { number: number; heading: string; current: number }) {
  const isDone = number < current;
  const isCurrent = number === current;
  const discClass = isCurrent ? 'bg-white text-deep' : `border ${isDone ? '' : 'border-on-deep-line'}`;
  return (
    <li className="flex items-center gap-3" aria-current={isCurrent ? 'step' : undefined}>
      <span className={`grid size-8 shrink-0 place-items-center rounded-full text-sm font-bold ${discClass}`}>
        {isDone ? <Icon name="check" className="size-4.5" /> : number}
      </span>
      {/* Of one weight, so that no heading wraps when it becomes the current one. */}
      <span className={`font-semibold ${isCurrent ? '' : 'text-on-deep'}`}>
        {heading}
        {isDone && <span className="sr-only">, done</span>}
      </span>
    </li>
  );
}
