import { data } from 'react-router';

/** Answers "not here", as a page with status 404. */
export function throwNotFound(): never {
  throw data(null, { status: 404 });
}

/** Answers "not now", as a page with status 503 that can try again. */
export function throwUnavailable(): never {
  throw data(null, { status: 503 });
}
