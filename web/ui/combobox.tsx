import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { FieldFrame, type FrameProps } from './field.tsx';

export interface Suggestion {
  readonly key: string | number;
  readonly name: string;
  readonly detail?: string;
}

interface Props<Option extends Suggestion> extends FrameProps {
  name: string;
  value: string;
  /** Null: the field is an ordinary text field. */
  suggest: ((text: string) => Promise<readonly Option[]>) | null;
  onType: (text: string) => void;
  onPick: (option: Option) => void;
}

const suggestDelayMs = 150;
const minSuggestLength = 2;

/** A text field with suggestions (ARIA combobox with a listbox). Other texts are allowed. */
export function Combobox<Option extends Suggestion>({
  label,
  hint,
  error,
  aside,
  name,
  value,
  suggest,
  onType,
  onPick,
}: Props<Option>) {
  const list = useId();
  const [options, setOptions] = useState<readonly Option[]>([]);
  const [active, setActive] = useState(-1);
  const timer = useRef<number>(undefined);
  const request = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, active]);

  function show(found: readonly Option[]): void {
    clearTimeout(timer.current);
    request.current++;
    setOptions(found);
    setActive(-1);
  }

  function type(text: string): void {
    onType(text);
    if (!suggest) return;
    if (text.trim().length < minSuggestLength) return show([]);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      const id = ++request.current;
      // Without suggestions, the field still takes any text.
      suggest(text.trim()).then(
        (found) => id === request.current && show(found),
        () => id === request.current && show([]),
      );
    }, suggestDelayMs);
  }

  function pick(option: Option): void {
    onPick(option);
    show([]);
  }

  function pressKey(event: KeyboardEvent): void {
    const chosen = options[active];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (options.length === 0 || event.nativeEvent.isComposing) return;
    if (step) setActive((active + step + options.length + (active < 0 && step < 0 ? 1 : 0)) % options.length);
    else if (event.key === 'Enter' && chosen) pick(chosen);
    else if (event.key === 'Escape') show([]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <FieldFrame {...{ label, hint, error, aside }}>
      {(attributes) => (
        <div className="relative">
          <input
            type="text"
            name={name}
            className="control"
            autoComplete="off"
            value={value}
            onChange={({ target }) => type(target.value)}
            onKeyDown={pressKey}
            onBlur={() => show([])}
            {...(suggest && {
              role: 'combobox',
              'aria-autocomplete': 'list' as const,
              'aria-expanded': options.length > 0,
              'aria-controls': options.length > 0 ? list : undefined,
              'aria-activedescendant': active < 0 ? undefined : `${list}-${active}`,
            })}
            {...attributes}
          />
          {options.length > 0 && (
            <div
              id={list}
              role="listbox"
              aria-label={label}
              className="absolute inset-x-0 top-full z-20 mt-1 overflow-hidden rounded-control border border-line-strong bg-raised shadow-lg"
            >
              {options.map((option, index) => (
                // The keyboard stays in the input, which handles the keys.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
                <div
                  key={option.key}
                  id={`${list}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  className="flex min-h-11 cursor-pointer flex-wrap items-baseline gap-x-2 px-3 py-2 hover:bg-wash aria-selected:bg-wash aria-selected:marked"
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => pick(option)}
                >
                  <span className="min-w-0 wrap-anywhere">{option.name}</span>
                  {option.detail !== undefined && (
                    <span className="text-sm text-ink-soft" suppressHydrationWarning>
                      {option.detail}
                    </span>
                  )}
                </div>
              ))}
            </div>
          )}
          <span role="status" className="sr-only">
            {options.length > 0 && `${options.length} ${options.length === 1 ? 'suggestion' : 'suggestions'}`}
          </span>
        </div>
      )}
    </FieldFrame>
  );
}
