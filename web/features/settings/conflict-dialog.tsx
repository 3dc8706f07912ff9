import { useState } from 'react';
import { type FormField, fieldLabelOf } from '#contract/profile-fields.ts';
import type { Audience, ProfileField } from '#contract/visibility.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { upperFirst, reword } from '#web/platform/words.ts';
import type { EditConflict } from './merge-profile.ts';
import { audienceNames } from '#web/domain/audience-select.tsx';

function labelOf(field: FormField | ProfileField): string {
  if (field === 'name' || field === 'picture' || field === 'email') return upperFirst(field);
  return reword(fieldLabelOf(field));
}

interface Props {
  conflicts: readonly EditConflict[];
  onCancel: () => void;
  /** @param keptElsewhere conflicts that the user resolved with the value saved in another tab or device */
  onSave: (keptElsewhere: EditConflict[]) => void;
}

export function ConflictDialog({ conflicts, onCancel, onSave }: Props) {
  const [keptElsewhere, setKeptElsewhere] = useState<readonly EditConflict[]>([]);
  return (
    <Dialog onClose={onCancel} title="Your profile was changed elsewhere">
      <form
        className="grid gap-4"
        method="post"
        onSubmit={(event) => {
          event.preventDefault();
          onSave([...keptElsewhere]);
        }}
      >
        <p className="text-sm text-ink-soft">
          Another tab or device saved different values while this page was open. Choose which values to keep.
        </p>
        {conflicts.map((conflict) => (
          <fieldset key={conflict.kind + conflict.field} className="grid gap-1">
            <legend className="font-semibold">
              {labelOf(conflict.field)}
              {conflict.kind === 'audience' && ', visible to'}
            </legend>
            <Choice
              name={conflict.kind + conflict.field}
              label="From this page"
              value={conflict.here}
              conflict={conflict}
              isChosen={!keptElsewhere.includes(conflict)}
              onChoose={() => setKeptElsewhere(keptElsewhere.filter((other) => other !== conflict))}
            />
            <Choice
              name={conflict.kind + conflict.field}
              label="Saved elsewhere"
              value={conflict.elsewhere}
              conflict={conflict}
              isChosen={keptElsewhere.includes(conflict)}
              onChoose={() => setKeptElsewhere([...keptElsewhere, conflict])}
            />
          </fieldset>
        ))}
        <DialogButtons onCancel={onCancel}>
          <Button type="submit">Save</Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  value: unknown;
  conflict: EditConflict;
  isChosen: boolean;
  onChoose: () => void;
}

function Choice({ name, label, value, conflict, isChosen, onChoose }: ChoiceProps) {
  const text = String(value);
  const shown =
    conflict.kind === 'audience'
      ? audienceNames[text as Audience]
      : text === ''
        ? 'Empty'
        : conflict.field === 'imgURL'
          ? null
          : text;
  return (
    <label className="flex min-h-11 items-start gap-3 py-2">
      <input type="radio" className="mt-1 size-4 shrink-0" name={name} checked={isChosen} onChange={onChoose} />
      <span className="min-w-0 wrap-anywhere whitespace-pre-line">
        <span className="text-ink-soft">{label}: </span>
        {shown ?? <img src={text} alt="" width={48} height={60} className="mt-1 rounded-control" />}
      </span>
    </label>
  );
}
