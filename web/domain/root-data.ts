import { useRouteLoaderData } from 'react-router';
import type { PageInstitution } from '#contract/page.ts';
import type { User } from '#contract/identity.ts';
import type { Choice } from './display-choices.ts';
import { paths } from './paths.ts';

export const rootId = 'root';

export interface RootData {
  /** Null for a guest, undefined if the session request failed. */
  readonly user: User | null | undefined;
  readonly institution: PageInstitution;
  readonly sidebar: Choice<'sidebar'>;
  readonly theme: Choice<'theme'>;
}

export function useRootData(): RootData {
  const data = useRouteLoaderData<RootData>(rootId);
  if (!data) throw new Error('useRootData must be called within a page.');
  return data;
}

/** A member is verified, onboarded, and confirmed if the archive requires it. */
export const isMember = (user: User | null | undefined): user is User =>
  Boolean(user?.emailVerified && user.displayName !== null && !awaitsConfirmation(user));

/** Until the institution confirms a user, the user sees what guests see, and their own things. */
export const awaitsConfirmation = ({ membership }: User): boolean =>
  membership !== null && membership.status !== 'confirmed' && membership.confirmBy === null;

export const useUser = (): RootData['user'] => useRootData().user;

export function nextStep(user: User): string | null {
  if (!user.emailVerified) return paths.sendVerification;
  return user.displayName === null ? paths.onboarding : null;
}
