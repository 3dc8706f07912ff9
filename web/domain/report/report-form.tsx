import { type ReactNode, useId } from 'react';
import { fieldLengths } from '#contract/field-lengths.ts';
import {
  type ContentKind,
  type ContentReason,
  type ReportResult,
  confirmReportHours,
  contentReasons,
} from '#contract/report-values.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError, FormError, TextArea, TextField } from '#web/ui/field.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { isMember, useUser } from '../root-data.ts';
import { reportContentForm } from './report-content-form.ts';

const reasonLabels: Record<ContentReason, string> = {
  'in-picture': 'I am in this picture and want it removed',
  'not-this-person': 'This profile pretends to be another person',
  offensive: 'It is offensive or insults someone',
  deceased: 'This person has died',
  other: 'Something else',
};

interface Props {
  kind: ContentKind;
  id: string;
  onSent?: (result: ReportResult) => void;
  cancel?: ReactNode;
  done?: ReactNode;
}

export function ReportForm({ kind, id, onSent, cancel, done }: Props) {
  const user = useUser();
  const groupId = useId();
  const form = useForm(reportContentForm, { onSent: ({ data }) => data && onSent?.(data.result) });
  const { result, posted, values } = form;
  const reason = values['reason'];
  const { error: reasonError } = form.field('reason');

  if (result?.data)
    return (
      <div className="grid gap-4">
        <p role="status">{describeResult(result.data.result, result.data.email)}</p>
        {done}
      </div>
    );
  return (
    <form method="post" className="grid gap-4" {...form.props}>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="id" value={id} />
      <fieldset aria-describedby={reasonError ? `${groupId}-error` : undefined}>
        <legend className="mb-1 font-semibold">What is the problem?</legend>
        {contentReasons[kind].map((one, at) => (
          <label key={one} className="flex min-h-11 items-center gap-3 py-1">
            <input
              type="radio"
              name="reason"
              value={one}
              defaultChecked={posted?.values?.['reason'] === one}
              data-invalid={at === 0 && Boolean(reasonError)}
              className="size-5 shrink-0 accent-brand"
            />
            {reasonLabels[one]}
          </label>
        ))}
        {reasonError && <FieldError id={`${groupId}-error`}>{reasonError}</FieldError>}
      </fieldset>
      {reason === 'in-picture' && isMember(user) && (
        <p className="text-sm">The photo is hidden at once. The alumni office then decides.</p>
      )}
      <TextArea
        label={reason === 'other' ? 'What is the problem?' : 'What should the alumni office know? (optional)'}
        rows={3}
        maxLength={fieldLengths.messageMax}
        {...form.field('text')}
      />
      {!user?.emailVerified && (
        <TextField
          label="Your email address"
          type="email"
          autoComplete="email"
          hint="We send you a link to confirm the report. Only the alumni office sees your address."
          {...form.field('email')}
        />
      )}
      <p className="text-sm text-ink-soft">
        The alumni office reviews your report and tells you whether it acted. It does not tell anyone else that you sent
        the report.
      </p>
      <FormError>{result?.formError}</FormError>
      <div className="flex flex-wrap justify-end gap-3">
        {cancel}
        <Button type="submit" busy={form.busy('Sending...')}>
          Send report
        </Button>
      </div>
    </form>
  );
}

function describeResult(result: ReportResult, email: string): string {
  if (result === 'check-mail')
    return `We have sent an email to ${email.trim()}. Open the link in it within ${confirmReportHours} hours to send your report to the alumni office.`;
  return result === 'hidden'
    ? 'Thank you. The photo is hidden now. The alumni office will review your report and tell you whether it acted.'
    : 'Thank you. The alumni office will review your report and tell you whether it acted.';
}
