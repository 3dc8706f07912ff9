import { data } from 'react-router';

/** Throws a response with status 404. The router then shows the page for 404. */
export function throwNotFound(): never {
  throw data(null, { status: 404 });
}

/** Throws a response with status 503. The router then shows a page with a retry button. */
export function throwUnavailable(): never {
  throw data(null, { status: 503 });
}
