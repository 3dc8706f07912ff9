import { type ReactNode, useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type ReportReason, reportReasons } from '#contract/report-values.ts';
import type { ReportedMessage } from '#contract/reports.ts';
import { paths } from '#web/domain/paths.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import type { FormResult } from '#web/platform/form.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/day.tsx';
import { FieldError, SelectField, TextArea } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { Loader } from '#web/ui/loader.tsx';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
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

/** Opening the link changes nothing, because mail scanners open links too. */
export function ReportPage() {
  const [params] = useSearchParams();
  const code = params.get('code') ?? '';
  const form: PageForm = useForm(reportMessageForm, { onSent: () => setState({ status: 'sent' }) });
  const [state, setState] = useState<State>({ status: isDone(form.posted) ? 'sent' : 'checking' });

  useEffect(() => {
    let isCurrent = true;
    const settle = (next: State) => {
      if (isCurrent) setState(next);
    };
    if (isDone(form.posted)) return undefined;
    if (code === '') settle({ status: 'failed', text: 'This link is incomplete. Open the whole link from the email.' });
    else
      callApi('POST /api/reports/check', { body: { code } }).then(
        (message) => settle({ status: 'good', message }),
        (error: unknown) => settle({ status: 'failed', text: describeInvalidLink(problemOf(error)) }),
      );
    return () => {
      isCurrent = false;
    };
  }, [code, form.posted]);

  return (
    <section className="page grid max-w-[70ch] gap-4">
      <h1 className="text-xl font-bold lg:text-2xl">Report a message</h1>
      {state.status === 'checking' && (
        <>
          <Loader className="needs-scripts" />
          <noscript>
            {import.meta.env.SSR && (
              <MessageForm form={form}>
                The alumni office gets your report with the names of both accounts. The sender does not see it.
              </MessageForm>
            )}
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
            <ButtonLink variant="quiet" to={paths.home}>
              Go to the welcome page
            </ButtonLink>
          </p>
        </>
      )}
      {state.status === 'good' && (
        <MessageForm form={form}>
          From <strong className="font-semibold wrap-anywhere">{state.message.senderName ?? 'a member'}</strong>, sent
          on {formatDate(state.message.sentAt)}. The alumni office gets your report with the names of both accounts. The
          sender does not see it.
        </MessageForm>
      )}
    </section>
  );
}

const isDone = (result: FormResult | undefined): boolean => result !== undefined && result.status === undefined;

function MessageForm({ form, children }: { form: PageForm; children: ReactNode }) {
  const { result, posted } = form;
  return (
    <form className="grid gap-4" method="post" {...form.props}>
      <p>{children}</p>
      <SelectField label="Reason" name="reason" defaultValue={posted?.values?.['reason']}>
        <Options none={null} options={reportReasons.map((reason) => [reason, reasonLabels[reason]])} />
      </SelectField>
      <TextArea
        label="Message (optional)"
        rows={6}
        hint="Paste the message here if you want the alumni office to read it. The archive keeps no copy."
        {...form.field('text')}
      />
      <div role="alert">{result?.formError && <FieldError>{result.formError}</FieldError>}</div>
      <Button type="submit" className="justify-self-start" busy={form.busy('Sending...')}>
        Send report
      </Button>
    </form>
  );
}
