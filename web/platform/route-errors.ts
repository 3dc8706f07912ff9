import { data } from 'react-router';

export function throwNotFound(): never {
  throw data(null, { status: 404 });
}

/** The router then shows a page with a retry button. */
export function throwUnavailable(): never {
  throw data(null, { status: 503 });
}
