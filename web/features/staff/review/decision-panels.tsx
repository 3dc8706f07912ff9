import { type ReactNode, type SubmitEvent, use, useRef, useState } from 'react';
import { fieldLengths } from '#contract/field-lengths.ts';
import { Button } from '#web/ui/button.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { Key } from '../ui/key.tsx';
import { OpenItem } from './decision-bar.tsx';

/** Follows “… pretended to be another person.” in the label of a checkbox. */
export const vouchingNote = 'Members who vouched for them cannot vouch for 180 days.';

const PanelHeading = ({ title, hint }: { title: string; hint?: ReactNode }) => (
  <div className="pr-10">
    <h2 className="font-bold">{title}</h2>
    {hint !== undefined && <p className="max-w-[66ch] text-sm text-ink-soft">{hint}</p>}
  </div>
);

interface ChoiceProps {
  title: string;
  hint?: ReactNode;
  choices: readonly string[];
  otherLabel: string;
  action: string;
  initialText?: string;
  onChoose: (text: string) => void;
}

export function ChoicePanel({ title, hint, choices, otherLabel, action, initialText, onChoose }: ChoiceProps) {
  const { isLocked } = use(OpenItem);
  return (
    <div className="grid gap-3">
      <PanelHeading title={title} hint={hint} />
      <div className="flex flex-wrap gap-2">
        {choices.map((choice, at) => (
          <Button
            key={choice}
            variant="quiet"
            disabled={isLocked}
            aria-keyshortcuts={String(at + 1)}
            onClick={() => onChoose(choice)}
          >
            {choice}
            <Key of={String(at + 1)} />
          </Button>
        ))}
      </div>
      <TextForm label={otherLabel} action={action} rows={1} initialText={initialText} onDecide={onChoose} isRequired />
    </div>
  );
}

interface TextProps {
  title: string;
  hint?: ReactNode;
  label?: string;
  presets?: readonly { readonly label: string; readonly text: string }[];
  isRequired?: boolean;
  maxLength?: number;
  checkbox?: string;
  action: string;
  variant?: 'strong' | 'danger';
  initialText?: string;
  initiallyChecked?: boolean;
  onDecide: (text: string, isChecked: boolean) => void;
}

export function TextPanel({ title, hint, ...form }: TextProps) {
  return (
    <div className="grid gap-3">
      <PanelHeading title={title} hint={hint} />
      <TextForm {...form} />
    </div>
  );
}

const noPresets: NonNullable<TextProps['presets']> = [];

function TextForm({
  label,
  presets = noPresets,
  isRequired = false,
  maxLength = fieldLengths.messageMax,
  checkbox,
  action,
  variant = 'strong',
  rows = 3,
  initialText = '',
  initiallyChecked = false,
  onDecide,
}: Omit<TextProps, 'title' | 'hint' | 'initialText'> & { rows?: number; initialText?: string | undefined }) {
  const { isLocked, texts: typed } = use(OpenItem);
  const form = useRef<HTMLFormElement>(null);
  const [text, setText] = useState(typed.get(action) ?? initialText);
  const [isMissing, setIsMissing] = useState(false);
  const change = (value: string) => {
    setText(value);
    typed.set(action, value);
  };
  const focusField = () => form.current?.querySelector('textarea')?.focus();

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isLocked) return;
    const isChecked = form.current?.querySelector<HTMLInputElement>('input')?.checked ?? false;
    if (text.trim() !== '' || !isRequired) return onDecide(text.trim(), isChecked);
    setIsMissing(true);
    focusField();
  }

  return (
    <form ref={form} className="grid gap-3" noValidate onSubmit={submit}>
      {presets.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {presets.map((preset, at) => (
            <Button
              key={preset.label}
              variant="quiet"
              className="text-sm"
              aria-keyshortcuts={String(at + 1)}
              onClick={() => {
                change(preset.text);
                focusField();
              }}
            >
              {preset.label}
              <Key of={String(at + 1)} />
            </Button>
          ))}
        </div>
      )}
      {label !== undefined && (
        <TextArea
          label={label}
          rows={rows}
          maxLength={maxLength}
          value={text}
          error={isMissing && text.trim() === '' && 'Write a sentence or choose one.'}
          onChange={({ target }) => change(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
          }}
        />
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        {checkbox !== undefined && (
          <label className="flex min-h-11 items-center gap-2">
            <input type="checkbox" className="size-5 shrink-0 accent-brand" defaultChecked={initiallyChecked} />
            {checkbox}
          </label>
        )}
        <Button type="submit" variant={variant} disabled={isLocked} className="ml-auto">
          {action}
        </Button>
      </div>
    </form>
  );
}
