import { StrictMode } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { createBrowserRouter, matchRoutes, RouterContextProvider, RouterProvider } from 'react-router';
import { routes } from '#web/app/routes.tsx';
import { type RootData, rootId } from '#web/domain/root-data.ts';
import { getCurrentUser, initializeUser } from '#web/domain/session.ts';
import { callApi } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { type PageState, pageStateId } from '#web/platform/page-state.ts';
import { polyfillPopovers } from '#web/platform/popovers.ts';
import { setWords } from '#web/platform/words.ts';
import { offerRetry } from '#web/ui/toasts.ts';

declare global {
  interface Window {
    renderedUrl: string;
  }
}

const state = JSON.parse(document.getElementById(pageStateId)?.textContent ?? '') as PageState;
const root = state.loaderData[rootId] as RootData | undefined;
if (root?.user !== undefined) initializeUser(root.user);
setWords(root?.institution.words);

/** Hydration needs the components of the matched routes, or the page would flicker. */
async function loadMatchedRoutes(): Promise<void> {
  await Promise.all(
    (matchRoutes(routes, location) ?? []).map(async ({ route }) => {
      if (!route.lazy || typeof route.lazy === 'function') return;
      const parts = Object.entries(route.lazy).map(async ([name, load]) => [name, await load()] as const);
      Object.assign(route, Object.fromEntries(await Promise.all(parts)), { lazy: undefined });
    }),
  );
}

const withoutHash = (url: string): string => url.replace(/#.*/u, '');

function hydrate(): void {
  // The user went back before hydration, so the server has rendered another page than the one at the current URL.
  if (withoutHash(location.href) !== withoutHash(window.renderedUrl)) return location.reload();
  const router = createBrowserRouter(routes, {
    hydrationData: state,
    getContext: () =>
      new RouterContextProvider(
        new Map([
          [
            loaderServices,
            { call: callApi, user: getCurrentUser, institution: root?.institution ?? { name: '', abbreviation: '' } },
          ],
        ]),
      ),
  });
  const container = document.getElementById('root');
  if (!container) return undefined;
  hydrateRoot(
    container,
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
  return undefined;
}

// No top-level await: the pages import from this module's chunk and would wait for it forever.
const start = (): void =>
  void Promise.all([loadMatchedRoutes(), polyfillPopovers()]).then(hydrate, (error: unknown) => {
    offerRetry(error, start);
    dispatchEvent(new Event('live'));
  });

// Chrome 111, Safari 16.4 and Firefox 119 have it, and all else that the scripts need, except popovers (decision 90).
const isSupported = 'isWellFormed' in String.prototype;
if (isSupported) start();
else {
  dispatchEvent(new Event('live'));
  void import('#web/platform/old-browser.ts').then(({ degradeGracefully }) => degradeGracefully());
}
