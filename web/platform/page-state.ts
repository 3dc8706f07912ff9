export const pageStateId = 'page-state';

export interface PageState {
  readonly loaderData: Record<string, unknown>;
  readonly actionData: Record<string, unknown> | null;
  /** By route id: an error response of the router, or a `PageFailure`. */
  readonly errors: Record<string, unknown> | null;
}
