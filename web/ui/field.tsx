import { Icon } from './icon.tsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

export interface FrameProps {
  label: string;
  hint?: ReactNode;
  error?: ReactNode;
  /** Renders a control beside the field. It receives the label. Null keeps the field as wide as those with a control. */
  aside?: Aside;
}

export type Aside = ((label: string) => ReactNode) | null | undefined;

interface ControlAttributes {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

interface FieldFrameProps extends FrameProps {
  isGroup?: boolean;
  children: (attributes: ControlAttributes) => ReactNode;
}

/** The input is at most 400 px wide. A control beside it is at the end of the label's line on narrow screens. */
export function FieldFrame({ label, hint, error, aside, isGroup = false, children }: FieldFrameProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  const asideRow = hint ? '@xl:row-start-3' : '@xl:row-start-2';
  return (
    <div
      className={`grid content-start gap-x-4 gap-y-1 ${aside ? besideClass : ''} ${aside === undefined ? '' : 'max-w-[400px]'}`}
      {...(isGroup && { role: 'group', 'aria-labelledby': `${id}-label`, 'aria-describedby': described })}
    >
      {isGroup ? (
        <span id={`${id}-label`} className={labelClass}>
          {label}
        </span>
      ) : (
        <label htmlFor={id} className={labelClass}>
          {label}
        </label>
      )}
      {aside && (
        <div className={`col-span-1! col-start-2! row-start-1 self-center justify-self-end ${asideRow}`}>
          {aside(label)}
        </div>
      )}
      {hint && (
        <p id={`${id}-hint`} className={`text-sm text-ink-soft ${aside ? '@xl:col-span-2!' : ''}`}>
          {hint}
        </p>
      )}
      {children({ id, 'aria-invalid': Boolean(error), 'aria-describedby': described })}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

const besideClass =
  'grid-cols-[1fr_auto] *:col-span-2 @xl:max-w-none @xl:grid-cols-[minmax(0,400px)_1fr] @xl:*:col-span-1 @xl:*:col-start-1';

const labelClass = 'col-span-1! self-center font-semibold';

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="flex items-start gap-1.5 text-sm font-medium text-danger">
      <Icon name="circle-exclamation-point" className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </p>
  );
}

/** Announces an error that is about a whole form. */
export const FormError = ({ children }: { children: ReactNode }) => (
  <div role="alert" className="empty:absolute">
    {Boolean(children) && <FieldError>{children}</FieldError>}
  </div>
);

/** `className` applies to the control, so that its width can match the length of the expected input. */
type Control<Tag extends 'input' | 'select' | 'textarea'> = FrameProps & Omit<ComponentProps<Tag>, 'id'>;

export function TextField({ label, hint, error, aside, className = '', ...rest }: Control<'input'>) {
  return (
    <FieldFrame {...{ label, hint, error, aside }}>
      {(attributes) => <input type="text" className={`control ${className}`} {...rest} {...attributes} />}
    </FieldFrame>
  );
}

export function TextArea({ label, hint, error, aside, className = '', ...rest }: Control<'textarea'>) {
  return (
    <FieldFrame {...{ label, hint, error, aside }}>
      {(attributes) => <textarea className={`control ${className}`} rows={4} {...rest} {...attributes} />}
    </FieldFrame>
  );
}

/** A native select works best on cheap phones. */
export const Select = ({ className = '', ...rest }: ComponentProps<'select'>) => (
  <span className={`relative block ${className}`}>
    <select className="control appearance-none truncate pr-10" {...rest} />
    <Icon name="chevron-down" className="pointer-events-none absolute inset-y-0 right-3 my-auto size-5 text-ink-soft" />
  </span>
);

export const SelectField = ({ label, hint, error, aside, ...rest }: Control<'select'>) => (
  <FieldFrame {...{ label, hint, error, aside }}>{(attributes) => <Select {...rest} {...attributes} />}</FieldFrame>
);
