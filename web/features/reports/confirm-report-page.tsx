import { useSearchParams } from 'react-router';
import { Button } from '#web/ui/button.tsx';
import { FormError } from '#web/ui/field.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { confirmReportForm } from './forms.ts';

/** Opening the link changes nothing, because mail scanners open links too. */
export function ConfirmReportPage() {
  const code = useSearchParams()[0].get('code') ?? '';
  const form = useForm(confirmReportForm);
  const { result } = form;
  return (
    <div className="page grid max-w-[40rem] gap-4">
      <h1 className="text-xl font-bold lg:text-2xl">Confirm your report</h1>
      {result && result.status === undefined ? (
        <p role="status">
          Thank you. The alumni office has your report. It will review the report and email you when it has decided.
        </p>
      ) : code === '' || result?.status === 404 ? (
        <p role="alert">
          This link does not work because it is incomplete or has expired. Open the complete link from the email, or
          send the report again.
        </p>
      ) : (
        <form method="post" className="grid gap-4" {...form.props}>
          <p>Confirm the report to send it to the alumni office. If you did not write it, close this page.</p>
          <FormError>{result?.formError}</FormError>
          <Button type="submit" className="justify-self-start" busy={form.busy('Sending...')}>
            Confirm the report
          </Button>
        </form>
      )}
    </div>
  );
}
