import { useEffect, useState } from 'react';
import { isRouteErrorResponse, useRouteError, useRouteLoaderData } from 'react-router';
import { browserErrorLengths } from '#contract/field-lengths.ts';
import type { PageFailure } from '#contract/page.ts';
import type { Problem } from '#contract/problem.ts';
import { type RootData, rootId } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';

/**
 * Shows the page for unexpected errors (specification, section 8; D18 in docs/conformance.md), with the stack trace of
 * the error. In production it shows the reference under which the server has logged the error instead.
 */
export function RootError() {
  const error = useRouteError();
  const showsStackTraces = useRouteLoaderData<RootData>(rootId)?.institution.showsStackTraces;
  const { message = 'Something went wrong.', stack } = isRouteErrorResponse(error)
    ? { message: `${error.status} ${error.statusText}` }
    : (error as Partial<PageFailure>);
  const reference = useReference(showsStackTraces ? null : error);
  return (
    <main className="mx-auto grid max-w-2xl justify-items-start gap-4 px-4 py-16">
      <h1 className="text-2xl font-bold">Unexpected Application Error!</h1>
      <p className="font-mono text-sm wrap-anywhere">
        {message}
        {reference !== null && ` (reference ${reference})`}
      </p>
      <p className="text-ink-soft">
        Reload the page. What you have saved is not lost. If this happens again, send the message above to the alumni
        office.
      </p>
      <Button onClick={() => location.reload()}>Reload</Button>
      {showsStackTraces && stack && (
        <pre className="w-full overflow-auto rounded-card border border-line bg-raised p-4 text-sm">{stack}</pre>
      )}
    </main>
  );
}

/**
 * Sends an error of the browser to the log of the server.
 * @returns the reference of the log line; null if there is none (yet)
 */
function useReference(thrown: unknown): string | null {
  const [reference, setReference] = useState<string | null>(null);
  useEffect(() => {
    // An error of the server is already logged, and its message contains the reference.
    if (!(thrown instanceof Error) || (thrown as { problem?: Problem }).problem?.reference !== undefined) return;
    const message = thrown.message.slice(0, browserErrorLengths.messageMax);
    const stack = (thrown.stack ?? '').slice(0, browserErrorLengths.stackMax);
    void callApi('POST /api/browser-errors', { body: { message, stack } })
      .then((logged) => setReference(logged.reference))
      // Without a connection there is no reference.
      .catch(() => undefined);
  }, [thrown]);
  return reference;
}
