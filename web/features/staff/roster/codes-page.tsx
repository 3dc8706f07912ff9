import { type SubmitEvent, useState } from 'react';
import type { LoaderFunctionArgs } from 'react-router';
import type { Problem } from '#contract/problem.ts';
import { codesApprovalAbove } from '#contract/staff/values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { readFields } from '#web/platform/form.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError, SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { type CodeSheet, SavedSheet, toCodeSheet } from './code-sheet.tsx';
import { countOf } from './import-labels.ts';

export async function loadCodes({ context }: LoaderFunctionArgs) {
  const { colleges } = await context.get(loaderServices).call('GET /api/institution');
  return { departments: colleges.flatMap(({ departments }) => departments) };
}

interface Filter {
  readonly department?: string;
  readonly year?: number;
  readonly graduates: boolean;
}

export function CodesPage({ data: { departments } }: StaffPageProps<Awaited<ReturnType<typeof loadCodes>>>) {
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const [counted, setCounted] = useState<{ filter: Filter; people: number } | null>(null);
  const [sheet, setSheet] = useState<CodeSheet | null>(null);
  const [failure, setFailure] = useState('');
  const showProblem = (problem: Problem) => setFailure(messageOf(problem));

  async function count(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const { department, year, graduates: only } = readFields(new FormData(event.currentTarget));
    const filter: Filter = {
      ...(department && { department }),
      ...(year && { year: Number(year) }),
      graduates: only !== undefined,
    };
    const { graduates, ...query } = filter;
    setFailure('');
    setSheet(null);
    await runWithPassword(async () => {
      const { people } = await callApi('GET /api/staff/roster/codes', {
        query: { ...query, ...(graduates && { graduates: 'true' as const }) },
      });
      setCounted({ filter, people });
    }, showProblem);
  }

  const create = async (filter: Filter) =>
    runWithPassword(async () => {
      setSheet(toCodeSheet(await callApi('POST /api/staff/roster/codes', { body: filter })));
      setCounted(null);
    }, showProblem);

  return (
    <>
      <PageHeader
        title="Printed codes"
        lead="Each person on the roster without a confirmed account gets a slip with a code, eight on a page of A4. The code confirms the account that uses it: hand each slip to its person only."
      />
      <form className="grid max-w-xl gap-4" onSubmit={count}>
        <SelectField label={reword('Department')} name="department">
          <Options none={reword('All departments')} options={departments} />
        </SelectField>
        <TextField
          label="Year of graduation"
          hint="Leave empty for all years"
          name="year"
          type="number"
          min={1900}
          max={2100}
          className="max-w-32"
        />
        <label className="flex min-h-11 items-center gap-3">
          <input type="checkbox" name="graduates" defaultChecked className="size-5 shrink-0 accent-brand" />
          Only graduates, no students
        </label>
        <div>
          <Button type="submit" variant={counted ? 'quiet' : 'strong'}>
            Count the people
          </Button>
        </div>
      </form>
      <div role="status" className="grid gap-4 empty:hidden">
        {counted && (
          <p className="font-semibold">{countOf(counted.people, 'person', 'people')} without a confirmed account.</p>
        )}
      </div>
      <FormError>{failure}</FormError>
      {counted && counted.people > 0 && (
        <div className="grid justify-items-start gap-2">
          <p className="max-w-[66ch] text-sm text-ink-soft">
            New codes replace the unused printed codes of the same people. They are valid for 12 months.
            {counted.people > codesApprovalAbove &&
              ` More than ${codesApprovalAbove} codes in 24 hours need an approval, which is requested when you create them.`}
          </p>
          <Button onClick={() => create(counted.filter)}>Create {countOf(counted.people, 'code')}</Button>
        </div>
      )}
      {sheet && <SavedSheet sheet={sheet} />}
      {dialog}
    </>
  );
}
