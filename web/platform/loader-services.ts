import { createContext } from 'react-router';
import type { Call } from '#contract/call.ts';
import type { User } from '#contract/identity.ts';
import type { PageInstitution } from '#contract/page.ts';

/**
 * The services of route loaders. In the browser the services use `fetch`; on the server they call the API in process.
 */
export interface LoaderServices {
  readonly call: Call;
  /** Returns the signed-in user, or null. The result is cached until the user changes. */
  readonly user: () => Promise<User | null>;
  readonly institution: PageInstitution;
}

/** The router context of the services: `context.get(loaderServices)`. */
export const loaderServices = createContext<LoaderServices>();
