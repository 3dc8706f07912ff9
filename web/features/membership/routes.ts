import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('membership', () => import('./pages.ts'));

const join = { loader: 'joinLoader', Component: 'JoinPage' } as const;

export const membershipRoutes: RouteObject[] = [
  createRoute(paths.confirm, 'Confirm that you studied here', { loader: 'confirmLoader', Component: 'ConfirmPage' }),
  createRoute('/join', 'Use a code', join),
  createRoute('/join/:code', 'Use a code', join),
  createRoute('/vouch/:code', 'Do you know them?', { loader: 'vouchLoader', Component: 'VouchPage' }),
  createRoute('/not-you', 'Not you?', { loader: 'requireConfirmedMode', Component: 'NotYouPage' }),
];
