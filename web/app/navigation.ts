import type { IconName } from '../ui/icon-names.ts';
import { paths } from '../domain/paths.ts';
import type { RootData } from '../domain/root-data.ts';

export interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

const commonLinks: Destination[] = [
  { to: paths.dashboard, label: 'Dashboard', icon: 'layout-dashboard' },
  { to: paths.search, label: 'Search', icon: 'search' },
  { to: paths.gallery, label: 'Gallery', icon: 'images' },
  { to: paths.settings, label: 'Settings', icon: 'settings' },
];

export const loginLink: Destination = { to: paths.login, label: 'Login', icon: 'log-in' };
export const myProfileLink: Destination = { to: paths.myProfile, label: 'My Profile', icon: 'user-round' };

/** Returns the links of the sidebar (specification, section 2). Logout is a separate button. */
export const sidebarLinks = (user: RootData['user']): Destination[] =>
  user === null ? [...commonLinks, loginLink] : commonLinks;

/** Returns the links of the mobile menu: the sidebar links, and a link to the user's profile. */
export const mobileLinks = (user: RootData['user']): Destination[] =>
  user ? [...commonLinks, myProfileLink] : sidebarLinks(user);
