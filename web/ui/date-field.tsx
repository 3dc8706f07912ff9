import { type Ref, useImperativeHandle, useRef } from 'react';
import { type DatePart, datePartNames, joinDate, splitDate } from '#web/platform/date-parts.ts';
import { FieldFrame, type FrameProps } from './field.tsx';

/** What React Hook Form needs of an input. */
interface DateInput {
  /** Without a type, React Hook Form reports a change each time it writes the value. */
  readonly type: string;
  value: string;
  focus: () => void;
}

interface DateEvent {
  type: 'change' | 'blur';
  target: { readonly name: string; readonly value: string };
}

interface Props extends FrameProps {
  name: string;
  defaultValue?: string;
  autoComplete?: 'bday';
  ref?: Ref<DateInput>;
  onChange?: (event: DateEvent) => unknown;
  onBlur?: (event: DateEvent) => unknown;
  'aria-required'?: boolean;
}

const findBox = (group: HTMLElement | null, part: DatePart) =>
  group?.querySelector<HTMLInputElement>(`[name$="-${part}"]`);

function readDate(group: HTMLElement | null): string {
  const [day, month, year] = datePartNames.map((part) => findBox(group, part)?.value ?? '') as [string, string, string];
  return joinDate({ day, month, year });
}

/** A date that was read from the boxes does not change what is typed in them. */
function writeDate(group: HTMLElement | null, date: string): void {
  if (date === readDate(group)) return;
  const parts = splitDate(date);
  for (const part of datePartNames) {
    const box = findBox(group, part);
    if (box) box.value = parts[part];
  }
}

/**
 * Like an element: its value can be read after it was removed, and is read when an event is handled, because a form can
 * be reset before it handles a blur.
 */
const toInput = (group: HTMLElement | null): DateInput => ({
  type: 'text',
  get value() {
    return readDate(group);
  },
  set value(date) {
    writeDate(group, date || '');
  },
  focus: () => findBox(group, 'day')?.focus(),
});

const toTarget = (group: HTMLElement | null, name: string): DateEvent['target'] => ({
  name,
  get value() {
    return readDate(group);
  },
});

const labels: Record<DatePart, string> = { day: 'Day', month: 'Month', year: 'Year' };

/**
 * Asks for a date that people know by heart, in three boxes. A form that is sent has the parts (`joinDates`); React Hook
 * Form sees one input with the joined date.
 */
export function DateField({
  name,
  defaultValue = '',
  autoComplete,
  ref,
  onChange,
  onBlur,
  'aria-required': isRequired,
  ...frame
}: Props) {
  const group = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => toInput(group.current), []);
  const initial = splitDate(defaultValue);
  const toEvent = (type: DateEvent['type']): DateEvent => ({ type, target: toTarget(group.current, name) });
  return (
    <FieldFrame isGroup hint="For example 12 4 1993" {...frame}>
      {({ 'aria-invalid': isInvalid }) => (
        <div
          ref={group}
          data-field={name}
          className="flex gap-3"
          onBlur={({ currentTarget, relatedTarget }) => {
            if (!currentTarget.contains(relatedTarget)) void onBlur?.(toEvent('blur'));
          }}
        >
          {datePartNames.map((part) => (
            <label key={part} className="text-sm text-ink-soft">
              {labels[part]}
              <input
                type="text"
                // The name of a month is accepted as well.
                inputMode={part === 'month' ? undefined : 'numeric'}
                name={`${name}-${part}`}
                defaultValue={initial[part]}
                maxLength={part === 'month' ? 9 : part === 'year' ? 4 : 2}
                autoComplete={autoComplete && `${autoComplete}-${part}`}
                className={`control mt-0.5 block text-ink nums ${part === 'year' ? 'w-22' : 'w-16'}`}
                aria-invalid={isInvalid}
                aria-required={isRequired}
                onChange={() => void onChange?.(toEvent('change'))}
              />
            </label>
          ))}
        </div>
      )}
    </FieldFrame>
  );
}
