import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('onboarding', () => import('./pages.ts'));

export const onboardingRoutes: RouteObject[] = [
  createRoute(
    paths.onboarding,
    { title: 'Your profile', frame: 'bare' },
    { loader: 'onboardingLoader', shouldRevalidate: 'shouldRevalidate', Component: 'OnboardingPage' },
  ),
];
