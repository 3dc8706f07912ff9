import { useId, useState } from 'react';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { ClassEntry, CorrectionForm, CorrectionReason } from '#contract/staff/corrections.ts';
import { messageOf } from '#web/domain/messages.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { type Fields, readFields } from '#web/platform/form.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { FormError, SelectField, TextArea, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { toast } from '#web/ui/toasts.ts';
import { entryNameOf } from '../people/people-labels.ts';
import { type KeptTexts, useKeptTexts } from '../ui/use-kept-texts.ts';
import { correctionNames } from './correction-labels.ts';

interface Props {
  entry: Pick<ClassEntry, 'id' | 'lastName' | 'firstName' | 'otherNames'>;
  department: string | null;
  year: number | null;
  kept?: KeptTexts;
  initialReason?: CorrectionReason;
  onClose: () => void;
  onProposed: () => Promise<void>;
}

const reasons = Object.entries(correctionNames) as [CorrectionReason, string][];

const nameFields = [
  ['lastName', 'Last name'],
  ['firstName', 'First name'],
  ['otherNames', 'Other names'],
] as const;

export function CorrectionDialog({
  entry,
  department,
  year,
  initialReason = 'deceased',
  kept,
  onClose,
  onProposed,
}: Props) {
  const [reason, setReason] = useState<CorrectionReason>(initialReason);
  const [failure, setFailure] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const formId = useId();
  const keptTexts = useKeptTexts(kept, `${entry.id} `);

  async function propose(fields: Fields) {
    const text = (name: string) => fields[name]?.trim() ?? '';
    const common = { entryId: entry.id, text: text('text') };
    const form: CorrectionForm =
      reason === 'wrong-class'
        ? { reason, ...common, department: text('department'), yearGraduated: Number(text('year')) }
        : reason === 'wrong-name'
          ? {
              reason,
              ...common,
              lastName: text('lastName'),
              firstName: text('firstName'),
              otherNames: text('otherNames'),
            }
          : { reason, ...common };
    setIsBusy(true);
    setFailure('');
    await runWithPassword(
      async () => {
        await callApi('POST /api/staff/corrections', { body: { correction: form } });
        toast('success', 'Proposed. A registrar will decide');
        kept?.delete(`${entry.id} text`);
        await onProposed();
      },
      ({ detail, errors, ...rest }) => setFailure(errors?.[0]?.message ?? detail ?? messageOf(rest)),
    );
    setIsBusy(false);
  }

  return (
    <Dialog title={`Propose a correction for ${entryNameOf(entry)}`} onClose={onClose}>
      <form
        id={formId}
        {...keptTexts}
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void propose(readFields(new FormData(event.currentTarget)));
        }}
      >
        <SelectField
          label="What is wrong?"
          value={reason}
          onChange={({ target }) => setReason(reasons.find(([one]) => one === target.value)?.[0] ?? 'other')}
        >
          <Options none={null} options={reasons} />
        </SelectField>
        {reason === 'wrong-class' && (
          <>
            <TextField
              label={reword('Correct department')}
              name="department"
              defaultValue={department ?? ''}
              required
              maxLength={fieldLengths.lineMax}
            />
            <TextField
              label="Correct year of graduation"
              name="year"
              type="number"
              min={1900}
              max={2100}
              defaultValue={year ?? ''}
              required
              className="max-w-32"
            />
          </>
        )}
        {reason === 'wrong-name' &&
          nameFields.map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              name={name}
              defaultValue={entry[name]}
              required={name !== 'otherNames'}
              maxLength={fieldLengths.nameMax}
            />
          ))}
        <TextArea
          label={reason === 'other' ? 'What should the registrar know?' : 'How do you know? (optional)'}
          name="text"
          rows={3}
          required={reason === 'other'}
          maxLength={fieldLengths.messageMax}
        />
        <FormError>{failure}</FormError>
        <DialogButtons onCancel={onClose}>
          <Button type="submit" busy={isBusy && 'Proposing...'}>
            Propose
          </Button>
        </DialogButtons>
      </form>
      {dialog}
    </Dialog>
  );
}
