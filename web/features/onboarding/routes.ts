import type { LoaderFunctionArgs, RouteObject } from 'react-router';
import type { InstitutionFacts } from '#contract/institution.ts';
import { requireNotOnboarded } from '../../domain/guards.ts';
import { paths } from '../../domain/paths.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import { loadChunk } from '../../platform/load-chunk.ts';
import { throwUnavailable } from '../../platform/route-errors.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/**
 * Loads the pages of this feature. Each feature has only one `import()`, because each one adds code to the first page.
 */
const loadPages = () => loadChunk(() => import('./pages.ts'));

const handle: PageHandle = { title: 'Your profile', feature: 'onboarding', frame: 'bare' };

async function loader(args: LoaderFunctionArgs): Promise<InstitutionFacts> {
  await requireNotOnboarded(args);
  return args.context.get(loaderServices).call('GET /api/institution').catch(throwUnavailable);
}

export const onboardingRoutes: RouteObject[] = [
  {
    path: paths.onboarding,
    loader,
    // A change of step loads nothing. If the URL is the same, revalidation was requested because another tab may have
    // signed in or out.
    shouldRevalidate: ({ currentUrl, nextUrl, defaultShouldRevalidate }) =>
      (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search) && defaultShouldRevalidate,
    lazy: { Component: async () => (await loadPages()).OnboardingPage },
    handle,
  },
];
