import type { FormResult } from '#web/platform/form.ts';

export function FormResultNote({ result }: { result: FormResult | undefined }) {
  return (
    <>
      {result?.formError && (
        <p role="alert" className="rounded-card border border-danger bg-danger-soft p-4 font-semibold text-danger">
          {result.formError}
        </p>
      )}
      {result?.success && (
        <p role="status" className="rounded-card bg-wash p-4">
          {result.success}
        </p>
      )}
    </>
  );
}
