import type { IconName } from '#web/ui/icon-names.ts';
import { paths } from '#web/domain/paths.ts';
import type { RootData } from '#web/domain/root-data.ts';

export interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Whether wide screens omit the link, because the profile menu in the header has it. */
  readonly isPhoneOnly?: boolean;
}

const commonLinks: Destination[] = [
  { to: paths.dashboard, label: 'Dashboard', icon: 'layout-dashboard' },
  { to: paths.search, label: 'Search', icon: 'search' },
  { to: paths.gallery, label: 'Gallery', icon: 'images' },
  { to: paths.settings, label: 'Settings', icon: 'settings' },
];

export const menuId = 'menu';

const loginLink: Destination = { to: paths.login, label: 'Login', icon: 'log-in' };
const ownLinks: Destination[] = [
  { to: paths.myProfile, label: 'My Profile', icon: 'user-round', isPhoneOnly: true },
  { to: paths.messages, label: 'Messages', icon: 'mail-check', isPhoneOnly: true },
];

const staffLink: Destination = { to: paths.staff, label: 'Staff console', icon: 'lock' };

/** After the links that the specification lists. */
const careersLink: Destination = { to: paths.careers, label: 'Careers', icon: 'briefcase' };

export const menuLinks = (user: RootData['user']): Destination[] => [
  ...commonLinks,
  ...(user === null ? [loginLink] : []),
  ...(user?.isStaff ? [staffLink] : []),
  ...(user ? ownLinks : []),
  careersLink,
];

/** The dashboard leads to profiles and classes. */
const belowDashboard = /^\/(?:user|class)\//u;

/** Returns the value of `aria-current` for a link on a page. */
export function currentOf(to: string, pathname: string): 'page' | 'true' | undefined {
  if (pathname === to) return 'page';
  return to === paths.dashboard && belowDashboard.test(pathname) ? 'true' : undefined;
}

export const barLinks: readonly Destination[] = commonLinks.slice(0, 3);
