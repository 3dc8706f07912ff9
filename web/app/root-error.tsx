import { isRouteErrorResponse, useRouteError } from 'react-router';
import { Button } from '../ui/button.tsx';

/**
 * Shows the page for unexpected errors (specification, section 8; D18 in docs/conformance.md). It shows the stack only in development. In
 * production the message contains the reference under which the server has logged the error.
 */
export function RootError() {
  const error = useRouteError();
  const message = isRouteErrorResponse(error)
    ? `${error.status} ${error.statusText}`
    : error instanceof Error
      ? error.message
      : 'Something went wrong.';
  return (
    <main className="mx-auto grid max-w-2xl justify-items-start gap-4 px-4 py-16">
      <h1 className="text-2xl font-bold">Unexpected Application Error!</h1>
      <p className="font-mono text-sm wrap-anywhere">{message}</p>
      <p className="text-ink-soft">
        Reload the page. What you have saved is not lost. If this happens again, send the message above to the alumni
        office.
      </p>
      <Button onClick={() => location.reload()}>Reload</Button>
      {import.meta.env.DEV && error instanceof Error && (
        <pre className="w-full overflow-auto rounded-card border border-line bg-raised p-4 text-sm">{error.stack}</pre>
      )}
    </main>
  );
}
