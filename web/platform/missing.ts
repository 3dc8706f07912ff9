import { data } from 'react-router';

/** Answers "not here", as a page with status 404. */
export function missing(): never {
  throw data(null, { status: 404 });
}
