import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { FieldFrame, type FrameProps } from './field.tsx';

export interface Suggestion {
  readonly key: string | number;
  readonly name: string;
  readonly detail?: string;
}

interface Props<Option extends Suggestion> extends FrameProps {
  name: string;
  defaultValue?: string;
  suggest: (text: string) => Promise<readonly Option[]>;
  onType?: () => void;
  onPick?: (option: Option) => void;
}

const suggestDelayMs = 150;
const minSuggestLength = 2;

/** A text field with suggestions (ARIA combobox with a listbox). Other texts are allowed. */
export function Combobox<Option extends Suggestion>({
  name,
  defaultValue = '',
  suggest,
  onType,
  onPick,
  ...frame
}: Props<Option>) {
  const list = useId();
  const [value, setValue] = useState(defaultValue);
  const [options, setOptions] = useState<readonly Option[]>([]);
  const [active, setActive] = useState(-1);
  const timer = useRef<number>(undefined);
  const request = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, active]);
  // Otherwise, the bar at the bottom of a phone could cover the suggestions.
  useEffect(() => {
    document.getElementById(list)?.scrollIntoView({ block: 'nearest' });
  }, [list, options]);

  /** Later responses of earlier requests are ignored. */
  function show(found: readonly Option[]): void {
    clearTimeout(timer.current);
    request.current++;
    setOptions(found);
    setActive(-1);
  }

  function type(text: string): void {
    setValue(text);
    onType?.();
    clearTimeout(timer.current);
    if (text.trim().length < minSuggestLength) return show([]);
    timer.current = window.setTimeout(() => {
      const id = ++request.current;
      const showLatest = (found: readonly Option[]) => id === request.current && show(found);
      // Without suggestions, the field still takes any text.
      suggest(text.trim()).then(showLatest, () => showLatest([]));
    }, suggestDelayMs);
  }

  function pick(option: Option): void {
    setValue(option.name);
    onPick?.(option);
    show([]);
  }

  function pressKey(event: KeyboardEvent): void {
    const chosen = options[active];
    if (options.length === 0) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % options.length);
    else if (event.key === 'ArrowUp') setActive(active > 0 ? active - 1 : options.length - 1);
    else if (event.key === 'Enter' && chosen) pick(chosen);
    else if (event.key === 'Escape') show([]);
    else return;
    event.preventDefault();
  }

  return (
    <FieldFrame {...frame}>
      {(attributes) => (
        <div className="relative">
          <input
            type="text"
            role="combobox"
            name={name}
            className="control"
            autoComplete="off"
            value={value}
            aria-autocomplete="list"
            aria-expanded={options.length > 0}
            aria-controls={options.length > 0 ? list : undefined}
            aria-activedescendant={active < 0 ? undefined : `${list}-${active}`}
            onChange={({ target }) => type(target.value)}
            onKeyDown={pressKey}
            onBlur={() => show([])}
            {...attributes}
          />
          {options.length > 0 && (
            <div
              id={list}
              role="listbox"
              aria-label={frame.label}
              className="absolute inset-x-0 top-full z-20 mt-1 overflow-hidden rounded-control border border-line-strong bg-raised shadow-lg"
            >
              {options.map((option, index) => (
                // The focus stays in the input, which handles the keys.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
                <div
                  key={option.key}
                  id={`${list}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  className="min-h-11 cursor-pointer px-3 py-2 wrap-anywhere hover:bg-wash aria-selected:bg-wash aria-selected:marked"
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => pick(option)}
                >
                  {option.name} <span className="text-sm text-ink-soft">{option.detail}</span>
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
