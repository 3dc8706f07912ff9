import { useEffect } from 'react';
import { isRouteErrorResponse, useLocation, useRevalidator, useRouteError } from 'react-router';
import { paths, withParam } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { ChunkError } from '#web/platform/load-chunk.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { Scene } from '#web/ui/scene.tsx';

export function RouteError() {
  const error = useRouteError();
  if (error instanceof ChunkError) return <Unavailable needsReload={error.needsReload} />;
  if (isRouteErrorResponse(error) && error.status === 503) return <Unavailable />;
  if (!isRouteErrorResponse(error) || error.status !== 404) throw error;
  return <NotFound />;
}

/** Guests can sign in, because some profiles are visible only to members. */
function NotFound() {
  const { pathname, search } = useLocation();
  const isGuest = useUser() === null;
  return (
    <div className="page grid content-start justify-items-start gap-4">
      <Scene drawing="rock">
        <p aria-hidden="true" className="year -mb-[0.09em] text-[6rem] text-brand lg:text-[12.5rem]">
          404
        </p>
      </Scene>
      <h1 className="mt-2 text-xl font-bold lg:mt-4 lg:text-3xl">Page not found</h1>
      <p className="max-w-[54ch] text-ink-soft lg:text-lg">
        The address may be mistyped, or the person may have left the archive or may not be visible to you.
        {isGuest && ' Some people are visible only to members.'}
      </p>
      <p className="mt-2 flex flex-wrap gap-3">
        {isGuest && <ButtonLink to={withParam(paths.login, 'from', pathname + search)}>Sign in</ButtonLink>}
        <ButtonLink to={paths.dashboard} variant={isGuest ? 'quiet' : 'strong'}>
          Go to the dashboard
        </ButtonLink>
      </p>
    </div>
  );
}

function Unavailable({ needsReload = false }: { needsReload?: boolean }) {
  const { revalidate, state } = useRevalidator();
  useEffect(() => {
    if (needsReload) location.reload();
  }, [needsReload]);
  return (
    <div className="page *:max-w-2xl">
      <Scene drawing="bus" />
      <h1 className="mt-6 text-xl font-bold lg:mt-8 lg:text-3xl">This page cannot be shown right now</h1>
      <FetchFailure busy={needsReload || state === 'loading'} onRetry={() => void revalidate()} />
    </div>
  );
}
