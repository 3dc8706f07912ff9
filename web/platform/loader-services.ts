import { createContext } from 'react-router';
import type { Call } from '#contract/call.ts';
import type { User } from '#contract/identity.ts';
import type { PageInstitution } from '#contract/page.ts';

/** In the browser the services use `fetch`; on the server they call the API in process. */
export interface LoaderServices {
  readonly call: Call;
  /** Null for guests. The result is cached until the user changes. */
  readonly user: () => Promise<User | null>;
  readonly institution: PageInstitution;
}

export const loaderServices = createContext<LoaderServices>();
