import { type SubmitEvent, useState } from 'react';
import { describeDifference } from '#contract/roster-values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/field.tsx';
import { Section } from '../ui/section.tsx';
import type { ImportFile } from './import-file.ts';

export const SheetChoice = ({ file: { sheets, chosenSheets } }: { file: ImportFile }) => (
  <fieldset className="grid gap-1">
    <legend className="font-semibold">Sheets</legend>
    {sheets.map(({ name, headings }) => (
      <label key={name} className="flex min-h-11 items-start gap-3 py-2">
        <input
          type="checkbox"
          name="sheet"
          value={name}
          defaultChecked={chosenSheets.includes(name)}
          className="mt-0.5 size-5 shrink-0 accent-brand"
        />
        <span className="min-w-0 wrap-anywhere">
          {name}
          <span className="block text-sm text-ink-soft">{headings.join(' · ') || 'No headings found'}</span>
        </span>
      </label>
    ))}
  </fieldset>
);

/** Returns why the chosen sheets cannot be read together. */
export function findSheetProblem({ sheets }: ImportFile, data: FormData): string | null {
  if (sheets.length < 2) return null;
  const names = data.getAll('sheet');
  const [first, ...others] = sheets.filter(({ name }) => names.includes(name));
  if (!first) return 'Choose at least one sheet.';
  for (const other of others) {
    const difference = describeDifference(first, other);
    if (difference !== null) return difference;
  }
  return null;
}

interface Props {
  id: string;
  file: ImportFile;
  isRunning: boolean;
  onSaved: () => Promise<void>;
}

export function SheetQuestion({ id, file, isRunning, onSaved }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const { runWithPassword, dialog } = usePasswordConfirmation();

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const found = findSheetProblem(file, data);
    setProblem(found);
    if (found !== null) return form.querySelector<HTMLElement>('[name="sheet"]')?.focus();
    setIsBusy(true);
    await runWithPassword(
      async () => {
        const body = { sheets: data.getAll('sheet').map(String) };
        await callApi('PUT /api/staff/roster/imports/{id}/settings', { params: { id }, body });
        await onSaved();
      },
      ({ detail, ...rest }) => setProblem(detail ?? messageOf(rest)),
    );
    setIsBusy(false);
  }

  return (
    <Section
      heading="Which sheets?"
      hint="This file has several sheets. Choose those with the people to import. Sheets with the same headings can be imported together."
    >
      <form noValidate onSubmit={submit}>
        <fieldset className="grid min-w-0 justify-items-start gap-3" disabled={isRunning}>
          <legend className="sr-only">Which sheets?</legend>
          <SheetChoice file={file} />
          <FormError>{problem}</FormError>
          <Button type="submit" busy={(isBusy || isRunning) && 'Please wait...'}>
            Read these sheets
          </Button>
        </fieldset>
      </form>
      {dialog}
    </Section>
  );
}
