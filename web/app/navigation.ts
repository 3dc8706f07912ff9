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

/** Sidebar: specification, section 2. Logout is a button and stands beside these. */
export const sidebarLinks = (user: RootData['user']): Destination[] =>
  user === null ? [...commonLinks, loginLink] : commonLinks;

/** Mobile menu: the same, and the own profile. */
export const mobileLinks = (user: RootData['user']): Destination[] =>
  user ? [...commonLinks, myProfileLink] : sidebarLinks(user);
