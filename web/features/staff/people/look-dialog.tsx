import { type SubmitEvent, useState } from 'react';
import type { DisclosureReason, PersonFile } from '#contract/staff/people.ts';
import { disclosureMinutes, disclosureReasons } from '#contract/staff/people-values.ts';
import { callApi } from '#web/platform/api.ts';
import { readFields } from '#web/platform/form.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { disclosureReasonLabels } from './people-labels.ts';
import type { KeptTexts } from '../ui/use-kept-texts.ts';
import { PersonLine } from './person-line.tsx';
import type { RunAction } from '../use-actions.tsx';

interface Props {
  person: PersonFile;
  kept: KeptTexts;
  run: RunAction;
  onClose: () => void;
}

export function LookDialog({ person, kept, run, onClose }: Props) {
  const [reason, setReason] = useState<DisclosureReason>('asked-for-help');
  const [error, setError] = useState('');
  const [isBusy, setIsBusy] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = readFields(new FormData(event.currentTarget))['text']?.trim() ?? '';
    if (reason === 'other' && text === '') {
      setError('Enter a reason');
      return;
    }
    setIsBusy(true);
    await run(async () => {
      await callApi('POST /api/staff/people/{id}/disclosures', {
        params: { id: person.id },
        body: { reason, ...(reason === 'other' && { text }) },
      });
      return `Hidden details are shown for ${disclosureMinutes} minutes`;
    }, onClose);
    setIsBusy(false);
  }

  return (
    <Dialog title="Why do you need to see hidden details?" onClose={onClose}>
      <form className="grid gap-4" noValidate onSubmit={submit}>
        <PersonLine person={person} />
        <p className="text-sm text-ink-soft">
          The person can read the reason, the date, and that it was the alumni office, but not your name.
        </p>
        <fieldset>
          <legend className="sr-only">Reason</legend>
          {disclosureReasons.map((one) => (
            <label key={one} className="flex min-h-11 items-center gap-3">
              <input
                type="radio"
                name="reason"
                value={one}
                checked={one === reason}
                onChange={() => setReason(one)}
                className="size-5 shrink-0 accent-brand"
              />
              {disclosureReasonLabels[one]}
            </label>
          ))}
        </fieldset>
        {reason === 'other' && (
          <TextArea
            label="Your reason"
            hint="The person reads it. Do not mention other people."
            name="text"
            rows={2}
            maxLength={200}
            error={error}
            defaultValue={kept.get('text')}
            onChange={({ target }) => {
              kept.set('text', target.value);
              setError('');
            }}
          />
        )}
        <DialogButtons onCancel={onClose}>
          <Button type="submit" busy={isBusy && 'Please wait...'}>
            Show details
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
