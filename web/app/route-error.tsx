import { useEffect } from 'react';
import { isRouteErrorResponse, useRevalidator, useRouteError } from 'react-router';
import { paths } from '../domain/paths.ts';
import { ChunkError } from '../platform/load-chunk.ts';
import { ButtonLink } from '../ui/button.tsx';
import { FetchFailure } from '../ui/fetch-failure.tsx';

/** Shows the page for status 404 or 503. Other errors go to the page for unexpected errors. */
export function RouteError() {
  const error = useRouteError();
  if (error instanceof ChunkError) return <Unavailable needsReload={error.needsReload} />;
  if (isRouteErrorResponse(error) && error.status === 503) return <Unavailable />;
  if (!isRouteErrorResponse(error) || error.status !== 404) throw error;
  return (
    <div className="page grid max-w-xl justify-items-start gap-4">
      <p className="rounded-full bg-wash px-3 py-1 text-sm font-semibold text-brand">404</p>
      <h1 className="text-2xl font-bold">Page not found</h1>
      <p className="text-ink-soft">
        The address may be mistyped, or the person may have left the archive or may not be visible to you. If you are
        not signed in, try signing in.
      </p>
      <ButtonLink to={paths.dashboard}>Go to the dashboard</ButtonLink>
    </div>
  );
}

/** Shows the page for status 503. @param needsReload whether to reload the document immediately */
function Unavailable({ needsReload = false }: { needsReload?: boolean }) {
  const { revalidate, state } = useRevalidator();
  useEffect(() => {
    if (needsReload) location.reload();
  }, [needsReload]);
  return (
    <div className="page">
      <h1 className="text-xl font-bold">This page cannot be shown right now</h1>
      <FetchFailure busy={needsReload || state === 'loading'} onRetry={() => void revalidate()} />
    </div>
  );
}
