import type { IconName } from '../ui/icon-names.ts';
import type { User } from '#contract/identity.ts';
import { paths } from '../domain/paths.ts';

export interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

const everywhere: Destination[] = [
  { to: paths.dashboard, label: 'Dashboard', icon: 'layout-dashboard' },
  { to: paths.search, label: 'Search', icon: 'search' },
  { to: paths.gallery, label: 'Gallery', icon: 'images' },
  { to: paths.settings, label: 'Settings', icon: 'settings' },
];

export const login: Destination = { to: paths.login, label: 'Login', icon: 'log-in' };
export const myProfile: Destination = { to: paths.myProfile, label: 'My Profile', icon: 'user-round' };

/** Sidebar: specification, section 2. Logout is a button and stands beside these. */
export const sidebarLinks = (user: User | null): Destination[] => (user ? everywhere : [...everywhere, login]);

/** Mobile menu: the same, and the own profile. */
export const mobileLinks = (user: User | null): Destination[] => [...everywhere, user ? myProfile : login];
