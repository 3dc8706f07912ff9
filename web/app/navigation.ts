import type { IconName } from '#web/ui/icon-names.ts';
import { paths } from '#web/domain/paths.ts';
import type { RootData } from '#web/domain/root-data.ts';

export interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** Whether the sidebar of wide screens does not have the link: the profile menu in the header has it. */
  readonly isPhoneOnly?: boolean;
}

const commonLinks: Destination[] = [
  { to: paths.dashboard, label: 'Dashboard', icon: 'layout-dashboard' },
  { to: paths.search, label: 'Search', icon: 'search' },
  { to: paths.gallery, label: 'Gallery', icon: 'images' },
  { to: paths.settings, label: 'Settings', icon: 'settings' },
];

/** The `id` of the menu, for the button that opens it. */
export const menuId = 'menu';

const loginLink: Destination = { to: paths.login, label: 'Login', icon: 'log-in' };
const myProfileLink: Destination = { to: paths.myProfile, label: 'My Profile', icon: 'user-round', isPhoneOnly: true };

const staffLink: Destination = { to: paths.staff, label: 'Staff console', icon: 'lock' };

/** Returns the links of the menu (specification, section 2), with the staff console for staff. Logout is a separate button. */
export const menuLinks = (user: RootData['user']): Destination[] =>
  user === null
    ? [...commonLinks, loginLink]
    : [...commonLinks, ...(user?.isStaff ? [staffLink] : []), ...(user ? [myProfileLink] : [])];

/** The links of the bar at the bottom of small screens. */
export const barLinks: readonly Destination[] = commonLinks.slice(0, 3);
