import { type ReactNode, type SubmitEvent, useState } from 'react';
import type { RosterImport, ImportSettings } from '#contract/roster.ts';
import { type ImportField, erasableFields, fieldNames } from '#contract/roster-values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { FormError, SelectField, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { Section } from '../ui/section.tsx';
import { ColumnList } from './column-list.tsx';
import { countOf } from './import-labels.ts';
import { ReadingFields, readingOf } from './reading-fields.tsx';
import { findSheetProblem } from './sheet-choice.tsx';
import type { ImportFile, Mapping } from './import-file.ts';

interface Props {
  one: RosterImport;
  file: ImportFile;
  departments: readonly string[];
  onSaved: () => Promise<void>;
}

export function SettingsForm({ one, file, departments, onSaved }: Props) {
  const [mapping, setMapping] = useState<Mapping>(() =>
    Object.fromEntries(file.columns.map(({ key, field }) => [key, field])),
  );
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const { runWithPassword, dialog } = usePasswordConfirmation();

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const isReading = event.nativeEvent.submitter?.getAttribute('value') === 'read';
    const conflict = findSheetProblem(file, data) ?? (isReading ? '' : findConflict(mapping));
    setProblem(conflict);
    if (conflict) return form.querySelector<HTMLElement>('[name="column-0"]')?.focus();
    const years = readYears(data);
    if (!isReading && years.length === 1) {
      setProblem('Enter both years of graduation, or none.');
      return form.querySelector<HTMLElement>(`[name="${data.get('from') === '' ? 'from' : 'to'}"]`)?.focus();
    }
    const chosen = file.unknownDepartments.flatMap(({ name }, at) => {
      const department = data.get(`department-${at}`);
      return typeof department === 'string' && department !== '' ? [[name, department] as const] : [];
    });
    const body: ImportSettings = {
      ...readingOf(file, data),
      // Another encoding or sheet has other columns.
      ...(!isReading && { mapping }),
      departments: { ...file.departments, ...Object.fromEntries(chosen) },
      erase: erasableFields.filter((field) => data.getAll('erase').includes(field)),
      isPartial: data.has('isPartial'),
      ...(years.length === 2 && { years: { from: Math.min(...years), to: Math.max(...years) } }),
    };
    setIsBusy(true);
    await runWithPassword(
      async () => {
        await callApi('PUT /api/staff/roster/imports/{id}/settings', {
          params: { id: String(one.id) },
          body: { ...body, thenCheck: !isReading },
        });
        await onSaved();
      },
      ({ detail, ...rest }) => setProblem(detail ?? messageOf(rest)),
    );
    setIsBusy(false);
  }

  const mapped = Object.values(mapping);
  return (
    <>
      <form noValidate onSubmit={submit}>
        <fieldset className="grid min-w-0 gap-8" disabled={one.step !== null}>
          <legend className="sr-only">How the file is read</legend>
          <ReadingFields file={file} hasFullName={mapped.includes('fullName')} />
          <ColumnList file={file} mapping={mapping} onChange={setMapping} />
          {file.unknownDepartments.length > 0 && (
            <Section
              heading={reword('Unknown departments')}
              hint={reword(
                'The archive does not know these names. Choose the matching department, or keep the name. Your choice is remembered for the next file.',
              )}
            >
              <div className="grid gap-4 lg:grid-cols-2">
                {file.unknownDepartments.map(({ name, rows, suggestion }, at) => (
                  <SelectField
                    key={name}
                    label={name}
                    hint={`${countOf(rows, 'row')}${suggestion === undefined ? '' : '. A suggestion: check it'}`}
                    name={`department-${at}`}
                    defaultValue={suggestion}
                  >
                    <Options none="Keep this name" options={departments} />
                  </SelectField>
                ))}
              </div>
            </Section>
          )}
          <Section heading="People and blank cells">
            <Check name="isPartial" isChecked={one.isPartial}>
              The file has only some of the people. No one is marked as missing.
            </Check>
            <p className="max-w-[66ch]">
              If the file covers only some years of graduation, only people of these years can be missing. For one year,
              enter it twice.
            </p>
            <div className="grid max-w-xs grid-cols-2 gap-x-4">
              {(['from', 'to'] as const).map((end) => (
                <TextField
                  key={end}
                  label={`Graduates ${end}`}
                  name={end}
                  type="number"
                  defaultValue={one.years?.[end]}
                />
              ))}
            </div>
            <details>
              <summary className="flex min-h-11 items-center font-semibold text-brand">
                Blank cells that erase the stored value
                {one.erase.length > 0 && <span className="font-normal text-ink-soft">&nbsp;({one.erase.length})</span>}
              </summary>
              <p className="max-w-[66ch] pb-2 text-sm text-ink-soft">
                A blank cell keeps the stored value, unless its field is chosen here.
              </p>
              <div className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
                {erasableFields.map((field) => (
                  <Check key={field} name="erase" value={field} isChecked={one.erase.includes(field)}>
                    {reword(fieldNames[field])}
                  </Check>
                ))}
              </div>
            </details>
          </Section>
          <div className="grid justify-items-start gap-3">
            <FormError>{problem}</FormError>
            <Button type="submit" busy={(isBusy || one.step === 'check') && 'Please wait...'}>
              Compare with the roster
            </Button>
            <p className="max-w-[66ch] text-sm text-ink-soft">This does not change the roster yet.</p>
          </div>
        </fieldset>
      </form>
      {dialog}
    </>
  );
}

const readYears = (data: FormData): number[] =>
  ['from', 'to'].map((name) => Number(data.get(name))).filter((year) => year > 0);

interface CheckProps {
  name: string;
  value?: string;
  isChecked: boolean;
  children: ReactNode;
}

const Check = ({ name, value, isChecked, children }: CheckProps) => (
  <label className="flex min-h-11 items-center gap-3">
    <input
      type="checkbox"
      name={name}
      value={value}
      defaultChecked={isChecked}
      className="size-5 shrink-0 accent-brand"
    />
    <span>{children}</span>
  </label>
);

function findConflict(mapping: Mapping): string {
  const columns = Object.entries(mapping).filter((entry): entry is [string, ImportField] => entry[1] !== null);
  for (const [key, field] of columns) {
    const other = columns.find(([name, same]) => same === field && name !== key);
    if (other)
      return `The columns “${key}” and “${other[0]}” are both set to “${reword(fieldNames[field])}”. Choose one.`;
  }
  const fields = new Set(columns.map(([, field]) => field));
  if (!fields.has('matricNumber')) return 'Choose the column with the matric number.';
  if (fields.has('fullName') && fields.has('lastName'))
    return 'Choose either the column with the full name or the columns with its parts.';
  if (!fields.has('fullName') && !fields.has('lastName'))
    return 'Choose the column with the last name or the full name.';
  return '';
}
