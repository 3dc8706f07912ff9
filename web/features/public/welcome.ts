import type { LoaderFunctionArgs } from 'react-router';
import type { Welcome } from '#contract/directory.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

/** Returns null if the request fails: the page does not depend on it. */
export const welcomeLoader = ({ context }: LoaderFunctionArgs): Promise<Welcome | null> =>
  context
    .get(loaderServices)
    .call('GET /api/users/welcome')
    .catch(() => null);
