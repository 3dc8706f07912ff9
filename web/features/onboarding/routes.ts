import type { LoaderFunctionArgs, RouteObject } from 'react-router';
import type { InstitutionFacts } from '#contract/institution.ts';
import { requireNewcomer } from '../../domain/guards.ts';
import { paths } from '../../domain/paths.ts';
import { access } from '../../platform/context.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import { unavailable } from '../../platform/missing.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Your profile', feature: 'onboarding', frame: 'bare' };

async function loader(args: LoaderFunctionArgs): Promise<InstitutionFacts> {
  await requireNewcomer(args);
  return args.context.get(access).call('GET /api/institution').catch(unavailable);
}

export const onboardingRoutes: RouteObject[] = [
  {
    path: paths.onboarding,
    loader,
    // The steps are in the address; going from one to the next has nothing to load. At one and the same step, somebody
    // asks for it: who is signed in may have changed in another tab.
    shouldRevalidate: ({ currentUrl, nextUrl, defaultShouldRevalidate }) =>
      (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search) && defaultShouldRevalidate,
    lazy: { Component: async () => (await loadPages()).OnboardingPage },
    handle,
  },
];
