import type { RouteObject } from 'react-router';
import { identityFormActions } from '../features/identity/form-actions.ts';

/** Adds the actions of forms that are submitted without JavaScript. For the server only: with JavaScript, forms send JSON. */
export const withFormActions = (routes: readonly RouteObject[]): RouteObject[] =>
  routes.map((route) => {
    const actions: Readonly<Record<string, RouteObject['action']>> = identityFormActions;
    const action = actions[route.path ?? ''];
    const children = route.children && withFormActions(route.children);
    return { ...route, ...(action && { action }), ...(children && { children }) } as RouteObject;
  });
