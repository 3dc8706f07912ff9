import type { RouteObject } from 'react-router';
import type { FormPage } from '#contract/page.ts';
import { identityFormActions } from '#web/features/identity/form-actions.ts';
import { membershipFormActions } from '#web/features/membership/form-actions.ts';
import { reportFormActions } from '#web/features/reports/form-actions.ts';

const formActions: Record<FormPage, RouteObject['action']> = {
  ...identityFormActions,
  ...membershipFormActions,
  ...reportFormActions,
};

/**
 * Adds the actions of forms that are submitted without JavaScript. For the server only: with JavaScript, forms send
 * JSON.
 */
export const withFormActions = (routes: readonly RouteObject[]): RouteObject[] =>
  routes.map((route) => {
    const actions: Readonly<Record<string, RouteObject['action']>> = formActions;
    const action = actions[route.path ?? ''];
    const children = route.children && withFormActions(route.children);
    return { ...route, ...(action && { action }), ...(children && { children }) } as RouteObject;
  });
