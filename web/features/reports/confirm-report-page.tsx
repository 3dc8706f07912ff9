import { type SubmitEvent, useState } from 'react';
import { useActionData, useSearchParams } from 'react-router';
import { callApi } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { type ConfirmedReport, confirmReport } from './confirm-report.ts';

/** Confirms the report of a guest. Opening the link changes nothing, because mail scanners open links too. */
export function ConfirmReportPage() {
  const code = useSearchParams()[0].get('code') ?? '';
  const posted = useActionData<ConfirmedReport>();
  const [confirmed, setConfirmed] = useState(posted);
  const [isSending, setIsSending] = useState(false);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    setIsSending(true);
    setConfirmed(await confirmReport(callApi, code));
    setIsSending(false);
  }

  return (
    <div className="page grid max-w-[40rem] gap-4">
      <h1 className="text-2xl font-bold lg:text-3xl">Confirm your report</h1>
      {confirmed?.isDone ? (
        <p role="status">
          Thank you. The alumni office has your report. It will review the report and email you when it has decided.
        </p>
      ) : code === '' || confirmed?.status === 404 ? (
        <p role="alert">
          This link does not work because it is incomplete or has expired. Open the complete link from the email, or
          send the report again.
        </p>
      ) : (
        <form method="post" className="grid gap-4" onSubmit={(event) => void submit(event)}>
          <p>Confirm the report to send it to the alumni office. If you did not write it, close this page.</p>
          <div role="alert" className="empty:absolute">
            {confirmed?.formError && <FieldError>{confirmed.formError}</FieldError>}
          </div>
          <Button type="submit" className="justify-self-start" busy={isSending && 'Sending...'}>
            Confirm the report
          </Button>
        </form>
      )}
    </div>
  );
}
