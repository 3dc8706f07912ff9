import type { FormResult } from './form-result.ts';

/** Shows the message of a form that was sent without JavaScript. With JavaScript, toasts show it. */
export function FormResultNote({ formResult }: { formResult: FormResult | undefined }) {
  return (
    <>
      {formResult?.formError && (
        <p role="alert" className="rounded-card border border-danger bg-danger-soft p-4 font-semibold text-danger">
          {formResult.formError}
        </p>
      )}
      {formResult?.success && (
        <p role="status" className="rounded-card bg-wash p-4">
          {formResult.success}
        </p>
      )}
    </>
  );
}
