import { useRouteLoaderData } from 'react-router';
import type { PageInstitution } from '#contract/page.ts';
import type { User } from '#contract/identity.ts';

export const rootId = 'root';

/** What every page has: who is signed in, whose archive this is, and how the sidebar was left. */
export interface RootData {
  /** Undefined while it cannot be found out: that is not the same as nobody. */
  readonly user: User | null | undefined;
  readonly institution: PageInstitution;
  readonly sidebar: 'expanded' | 'collapsed';
}

export function useRootData(): RootData {
  const data = useRouteLoaderData<RootData>(rootId);
  if (!data) throw new Error('useRootData must be called within a page.');
  return data;
}

/** Verified and onboarded, as far as the page knows. */
export const isMember = (user: User | null | undefined): user is User =>
  Boolean(user?.emailVerified && user.displayName !== null);

export const useUser = (): RootData['user'] => useRootData().user;
