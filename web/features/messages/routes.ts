import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';

const createRoute = createLazyRoutes('messages', () => import('./pages.ts'));

export const messageRoutes: RouteObject[] = [
  createRoute(paths.messages, 'Messages', { loader: 'messagesLoader', Component: 'MessagesPage' }),
];
