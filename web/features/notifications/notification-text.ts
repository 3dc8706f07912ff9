import type { Notification, NotificationKind } from '#contract/notifications.ts';
import { getDeviceName } from '#contract/device-name.ts';
import { paths, withParam } from '../../domain/paths.ts';

interface NotificationText {
  readonly text: string;
  /** Path of the link. */
  readonly to: string;
  /** Text of the link. */
  readonly action: string;
}

const security = withParam(paths.settings, 'section', 'security');

/** Text and link of each kind of notification. */
const describeByKind: Record<NotificationKind, (notification: Notification) => NotificationText> = {
  welcome: () => ({
    text: 'Welcome to the archive. Your profile is complete. See what it looks like to others.',
    to: withParam(paths.myProfile, 'as', 'everyone'),
    action: 'View as a guest',
  }),
  'email-verified': ({ detail }) => ({
    text: `Your email address ${detail} is verified.`,
    to: security,
    action: 'See your security settings',
  }),
  'new-device': ({ detail }) => ({
    text: `New sign-in on ${getDeviceName(detail)}.`,
    to: security,
    action: 'See where you are signed in',
  }),
  'password-changed': () => ({ text: 'Your password was changed.', to: security, action: 'It was not me' }),
  'email-changed': ({ detail }) => ({
    text: `Your email address is now ${detail}.`,
    to: security,
    action: 'It was not me',
  }),
  joined: ({ count, detail }) => ({
    text: `${count === 1 ? '1 person' : `${count} people`} from ${detail} joined the archive.`,
    to: withParam(paths.dashboard, 'department', detail),
    action: 'See your department',
  }),
  'photos-added': ({ count }) => ({
    text:
      count === 1
        ? 'Someone from your department added a photo to the gallery.'
        : `People from your department added ${count} photos to the gallery.`,
    to: paths.gallery,
    action: 'See the gallery',
  }),
};

/** Returns the text and the link of a notification. */
export const describeNotification = (notification: Notification): NotificationText =>
  describeByKind[notification.kind](notification);
