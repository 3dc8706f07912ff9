import { Icon } from '#web/ui/icon.tsx';
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
        {result?.success && (
          <p className="flex gap-2 rounded-control bg-wash p-3">
            <Icon name="check" className="mt-0.5 size-5 shrink-0 text-success" />
            {result.success}
          </p>
        )}
      </div>
    </>
  );
}
