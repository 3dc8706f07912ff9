import { createContext } from 'react-router';
import type { Call } from '#contract/call.ts';
import type { User } from '#contract/identity.ts';
import type { PageInstitution } from '#contract/page.ts';

/** What a loader works with, the same on both sides: in the browser it fetches, on the server it calls in process. */
export interface LoaderServices {
  readonly call: Call;
  /** Who is signed in. Asked once and kept until something changes it. */
  readonly user: () => Promise<User | null>;
  readonly institution: PageInstitution;
}

/** Where loaders find it: `context.get(access)`. */
export const loaderServices = createContext<LoaderServices>();
