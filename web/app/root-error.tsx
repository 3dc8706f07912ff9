import { useEffect, useState } from 'react';
import { isRouteErrorResponse, useRouteError, useRouteLoaderData } from 'react-router';
import { browserErrorLengths } from '#contract/field-lengths.ts';
import type { PageFailure } from '#contract/page.ts';
import type { Problem } from '#contract/problem.ts';
import { paths } from '#web/domain/paths.ts';
import { type RootData, rootId } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Mark } from '#web/ui/logo.tsx';
import { Scene } from '#web/ui/scene.tsx';

/**
 * Shows the page for unexpected errors (specification, section 8; D18 in docs/conformance.md), with the stack trace of
 * the error. In production it shows the reference under which the server has logged the error instead.
 */
export function RootError() {
  const error = useRouteError();
  const institution = useRouteLoaderData<RootData>(rootId)?.institution;
  const { message = 'Something went wrong.', stack } = isRouteErrorResponse(error)
    ? { message: `${error.status} ${error.statusText}` }
    : (error as Partial<PageFailure>);
  const reference = useReference(institution?.showsStackTraces ? null : error);
  return (
    <>
      <header className="border-b border-line bg-raised py-2.5 bleed">
        <a href={paths.dashboard} className="inline-flex min-h-11 items-center gap-3 rounded-control font-bold">
          <Mark />
          {institution?.abbreviation} alumni archive
        </a>
      </header>
      <main className="page grid grid-cols-1 justify-items-start gap-4 *:max-w-2xl">
        <Scene drawing="bus" />
        <h1 className="mt-2 text-2xl font-bold lg:mt-4 lg:text-[2.5rem]">Unexpected Application Error!</h1>
        <p className="max-w-[54ch] text-ink-soft lg:text-lg">
          Reload the page. What you have saved is not lost. If this happens again, send this message to the alumni
          office:
        </p>
        <p className="w-full border-l-4 border-danger bg-raised px-4 py-3 font-mono text-sm wrap-anywhere">
          {message}
          {reference !== null && ` (reference ${reference})`}
        </p>
        <p className="flex flex-wrap gap-3">
          <Button onClick={() => location.reload()}>Reload</Button>
          <ButtonLink variant="quiet" reloadDocument to={paths.dashboard}>
            Go to the dashboard
          </ButtonLink>
        </p>
        {institution?.showsStackTraces && stack && (
          <details open className="w-full">
            <summary className="flex min-h-11 items-center font-semibold">Stack trace</summary>
            <pre className="rounded-card border border-line bg-raised p-4 text-sm wrap-anywhere whitespace-pre-wrap">
              {stack}
            </pre>
          </details>
        )}
      </main>
    </>
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
