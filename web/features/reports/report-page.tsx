import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type ReportReason, reportReasons } from '#contract/report-values.ts';
import type { ReportedMessage } from '#contract/reports.ts';
import { paths } from '../../domain/paths.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { dayInWords } from '../../ui/day.tsx';
import { FieldError, SelectField, TextArea } from '../../ui/field.tsx';
import { Loader } from '../../ui/loader.tsx';
import { useForm } from '../../ui/use-form.ts';
import { describeInvalidLink, reportMessageForm } from './forms.ts';

const reasonLabels: Record<ReportReason, string> = {
  phishing: 'It asks for a password, a code or money',
  harassment: 'It insults or threatens me',
  impersonation: 'The sender pretends to be someone else',
  advertising: 'It is advertising',
  other: 'Something else',
};

type State =
  | { readonly status: 'checking' | 'sent' }
  | { readonly status: 'failed'; readonly text: string }
  | { readonly status: 'good'; readonly message: ReportedMessage };

/** Reports a message, opened by the link in its email. Opening the link changes nothing, because mail scanners open links too. */
export function ReportPage() {
  const [params] = useSearchParams();
  const code = params.get('code') ?? '';
  const [state, setState] = useState<State>({ status: 'checking' });
  const form = useForm(reportMessageForm, { onSent: () => setState({ status: 'sent' }) });
  const formError = form.result?.formError;

  useEffect(() => {
    let isCurrent = true;
    const settle = (next: State) => {
      if (isCurrent) setState(next);
    };
    if (code === '') settle({ status: 'failed', text: 'This link is incomplete. Open the whole link from the email.' });
    else
      callApi('POST /api/reports/check', { body: { code } }).then(
        (message) => settle({ status: 'good', message }),
        (error: unknown) => settle({ status: 'failed', text: describeInvalidLink(problemOf(error)) }),
      );
    return () => {
      isCurrent = false;
    };
  }, [code]);

  return (
    <section className="page grid max-w-[70ch] gap-4">
      <h1 className="text-2xl font-bold">Report a message</h1>
      {state.status === 'checking' && (
        <>
          <Loader className="needs-scripts" />
          <noscript>
            <p>Reports need JavaScript. Turn it on and load this page again, or write to the alumni office.</p>
          </noscript>
        </>
      )}
      {state.status === 'failed' && (
        <>
          <p role="alert">This link cannot be used. {state.text}</p>
          <p className="text-ink-soft">
            A report link works for 30 days after the message was sent. After that, write to the alumni office.
          </p>
        </>
      )}
      {state.status === 'sent' && (
        <>
          <p role="status">Your report was sent. The alumni office will read it. The sender does not see it.</p>
          <p>
            <ButtonLink look="quiet" to={paths.home}>
              Go to the welcome page
            </ButtonLink>
          </p>
        </>
      )}
      {state.status === 'good' && (
        <form className="grid gap-4" method="dialog" {...form.props}>
          <p>
            From <strong className="font-semibold wrap-anywhere">{state.message.senderName ?? 'a member'}</strong>, sent
            on {dayInWords(state.message.sentAt)}. The alumni office gets your report with the names of both accounts.
            The sender does not see it.
          </p>
          <SelectField label="Reason" name="reason">
            {reportReasons.map((reason) => (
              <option key={reason} value={reason}>
                {reasonLabels[reason]}
              </option>
            ))}
          </SelectField>
          <TextArea
            label="Message (optional)"
            name="text"
            rows={6}
            hint="Paste the message here if you want the alumni office to read it. The archive keeps no copy."
          />
          <div role="alert">{formError && <FieldError>{formError}</FieldError>}</div>
          <Button type="submit" className="justify-self-start" busy={form.busy('Sending...')}>
            Send report
          </Button>
        </form>
      )}
    </section>
  );
}
