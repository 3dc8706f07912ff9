import type { LoaderFunctionArgs, RouteObject } from 'react-router';
import type { InstitutionFacts } from '#contract/institution.ts';
import { requireNewcomer } from '../../domain/guards.ts';
import { paths } from '../../domain/paths.ts';
import { access } from '../../platform/context.ts';
import { unavailable } from '../../platform/missing.ts';
import type { PageHandle } from '../../platform/page-handle.ts';

/** Written once: every further `import()` is code of its own on the first page. */
const pages = () => import('./pages.ts');

const handle: PageHandle = { title: 'Your profile', feature: 'onboarding', frame: 'bare' };

export interface OnboardingData {
  facts: InstitutionFacts;
  /** What was brought over from the archive before this one, by the names of the fields. */
  brought: Record<string, string>;
}

async function loader(args: LoaderFunctionArgs): Promise<OnboardingData> {
  const { uid } = await requireNewcomer(args);
  const { call } = args.context.get(access);
  const [facts, { fields: brought }] = await Promise.all([
    call('GET /api/institution'),
    call('GET /api/users/{id}/unfinished', { params: { id: uid } }),
  ]).catch(unavailable);
  return { facts, brought };
}

export const onboardingRoutes: RouteObject[] = [
  {
    path: paths.onboarding,
    loader,
    // The steps are in the address; going from one to the next has nothing to load. At one and the same step, somebody
    // asks for it: who is signed in may have changed in another tab.
    shouldRevalidate: ({ currentUrl, nextUrl, defaultShouldRevalidate }) =>
      (currentUrl.pathname !== nextUrl.pathname || currentUrl.search === nextUrl.search) && defaultShouldRevalidate,
    lazy: { Component: async () => (await pages()).OnboardingPage },
    handle,
  },
];
