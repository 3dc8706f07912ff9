import { Icon } from './icon.tsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

interface FrameProps {
  label: string;
  hint?: ReactNode;
  /** A field with a message is invalid. */
  error?: ReactNode;
  /** Renders a control at the end of the label's line. It receives the label. */
  aside?: Aside;
}

export type Aside = ((label: string) => ReactNode) | null | undefined;

interface ControlAttributes {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string | undefined;
}

function FieldFrame({
  label,
  hint,
  error,
  aside,
  children,
}: FrameProps & { children: (attributes: ControlAttributes) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="grid content-start gap-1">
      <div className="flex flex-wrap items-center justify-between gap-x-3">
        <label htmlFor={id} className="font-semibold">
          {label}
        </label>
        {aside?.(label)}
      </div>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
      {children({ id, 'aria-invalid': Boolean(error), 'aria-describedby': described || undefined })}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} className="flex items-start gap-1.5 text-sm font-medium text-danger">
      <Icon name="circle-exclamation-point" className="mt-0.5 size-4 shrink-0" />
      <span>{children}</span>
    </p>
  );
}

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
export function SelectField({ label, hint, error, aside, className = '', children, ...rest }: Control<'select'>) {
  return (
    <FieldFrame {...{ label, hint, error, aside }}>
      {(attributes) => (
        <select className={`control ${className}`} {...rest} {...attributes}>
          {children}
        </select>
      )}
    </FieldFrame>
  );
}
