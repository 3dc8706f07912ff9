export const pageStateId = 'page-state';

/** What the server has loaded for a page, as JSON in the page. */
export interface PageState {
  readonly loaderData: Record<string, unknown>;
  readonly actionData: Record<string, unknown> | null;
  /** By route id: an error response of the router, or a `PageFailure`. */
  readonly errors: Record<string, unknown> | null;
}
