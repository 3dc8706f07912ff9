import type { FormResult } from '#web/platform/form.ts';

export function ResultNote({ result }: { result: FormResult | undefined }) {
  return (
    <>
      <div role="alert" className="empty:absolute">
        {result?.formError && (
          <p className="rounded-control bg-danger-soft p-3 font-semibold text-danger">{result.formError}</p>
        )}
      </div>
      <div role="status" className="empty:absolute">
        {result?.success && <p className="rounded-control bg-wash p-3">{result.success}</p>}
      </div>
    </>
  );
}
