import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { ImportCounts, RosterImport } from '#contract/roster.ts';
import { importRetentionDays } from '#contract/roster-values.ts';
import { useAction } from '#web/domain/use-action.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError } from '#web/ui/field.tsx';
import { reword } from '#web/platform/words.ts';
import { Section } from '../ui/section.tsx';
import { useApprover } from '../use-rights.ts';
import type { ImportFile } from './import-file.ts';
import { countOf } from './import-labels.ts';
import { Numbers } from './numbers.tsx';

interface Props {
  one: RosterImport;
  onApply: (confirmed: string[]) => Promise<void>;
  takesFocus: boolean;
}

export function CheckResult({ one, onApply, takesFocus }: Props) {
  const numbers = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) numbers.current?.focus();
  }, [takesFocus]);
  const { isBusy, run } = useAction();
  const approver = useApprover();
  const [open, setOpen] = useState<readonly string[]>([]);
  const { counts, warnings, needsApproval, approval } = one;
  if (!counts) return null;

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const confirmed = new FormData(form).getAll('warning').map(String);
    const left = warnings.map(({ kind }) => kind).filter((kind) => !confirmed.includes(kind));
    setOpen(left);
    if (left[0] !== undefined) return form.querySelector<HTMLElement>(`[value="${left[0]}"]`)?.focus();
    return run(() => onApply(confirmed));
  }

  return (
    <Section
      heading="What this import would do"
      hint={`Nothing has been changed yet. ${one.isPartial ? 'The file has only some of the people, so no entry is marked as missing.' : one.years ? `Only graduates of ${one.years.from} to ${one.years.to} can be missing.` : ''}`}
    >
      <div ref={numbers} tabIndex={-1} className="outline-none">
        <Numbers of={toNumbers(counts)} />
      </div>
      <SkippedRows one={one} counts={counts} />
      <UnknownDepartments of={one.file?.unknownDepartments ?? []} />
      {!approval && (
        <form className="grid gap-4" noValidate onSubmit={submit}>
          {warnings.length > 0 && (
            <fieldset className="grid gap-2">
              <legend className="mb-2 font-semibold">Confirm each warning</legend>
              {warnings.map(({ kind, message }) => (
                <div key={kind} className="grid gap-1">
                  <label className="flex min-h-11 items-start gap-3 rounded-control border border-line-strong bg-raised p-3">
                    <input
                      type="checkbox"
                      name="warning"
                      value={kind}
                      className="mt-0.5 size-5 shrink-0 accent-brand"
                      aria-invalid={open.includes(kind)}
                      onChange={() => setOpen((kinds) => kinds.filter((other) => other !== kind))}
                    />
                    <span className="max-w-[66ch]">{message}</span>
                  </label>
                  {open.includes(kind) && <FieldError>Confirm that you have checked this.</FieldError>}
                </div>
              ))}
            </fieldset>
          )}
          {needsApproval && (
            <p className="max-w-[66ch] text-sm text-ink-soft">
              More than 5 % of the entries would change, or more than 1 % are missing. Your imports of the last 24 hours
              are added up. The import first needs the approval of {approver}.
            </p>
          )}
          <div>
            <Button type="submit" busy={isBusy && 'Please wait...'}>
              {needsApproval ? 'Request approval' : 'Apply to the roster'}
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}

export const toNumbers = (counts: ImportCounts) => [
  { label: 'New', count: counts.new, hint: 'entries are added' },
  { label: 'Changed', count: counts.changed, hint: 'entries get new values' },
  { label: 'Unchanged', count: counts.unchanged, hint: 'entries stay as they are' },
  { label: 'Missing', count: counts.missing, hint: 'entries are kept and marked' },
];

function UnknownDepartments({ of: unknown }: { of: ImportFile['unknownDepartments'] }) {
  if (unknown.length === 0) return null;
  const rows = unknown.reduce((sum, one) => sum + one.rows, 0);
  return (
    <p className="max-w-[66ch] text-sm wrap-anywhere">
      {countOf(rows, 'row')} with an unknown {reword('department')}: {unknown.map(({ name }) => name).join(', ')}. These
      people get this name as their {reword('department')}: coverage counts it apart, and a claim with the institution’s
      name does not agree completely. To choose another {reword('department')}, change how the file is read.
    </p>
  );
}

export function SkippedRows({ one, counts }: { one: RosterImport; counts: ImportCounts }) {
  const { unreadable, repeated = 0, duplicates, suppressed } = counts;
  const reasons = [
    unreadable > 0 && `${countOf(unreadable, 'row')} that cannot be read`,
    repeated > 0 && `${countOf(repeated, 'row')} identical to an earlier row, which counts once`,
    duplicates > 0 && `${countOf(duplicates, 'row')} with the matric number of another row`,
    suppressed > 0 && `${countOf(suppressed, 'row')} of people who have objected`,
  ].filter((reason) => reason !== false);
  if (reasons.length === 0 && !one.hasErrors) return null;
  return (
    <p className="max-w-[66ch] text-sm">
      {reasons.length > 0 && <>Not imported: {reasons.join(', ')}. </>}
      {one.hasErrors && (
        <>
          <a className="link" href={`/api/staff/roster/imports/${one.id}/errors`} download>
            Download all errors in rows and cells
          </a>
          . The list is kept for {importRetentionDays} days.
        </>
      )}
    </p>
  );
}
