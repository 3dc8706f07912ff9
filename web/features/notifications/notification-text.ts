import type { Notification, NotificationKind } from '#contract/notifications.ts';
import { getDeviceName } from '#contract/device-name.ts';
import { careerFormPath } from '#web/domain/careers.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { reword } from '#web/platform/words.ts';
import type { IconName } from '#web/ui/icon-names.ts';
import { formatDate } from '#web/ui/day.tsx';

interface NotificationText {
  readonly text: string;
  readonly to: string;
  readonly action: string;
  readonly icon: IconName;
  /** Whether the user must recognize the event: if it was not them, the account is in danger. */
  readonly isSecurity?: boolean;
  readonly isAboutReader?: boolean;
}

const security = withParam(paths.settings, 'section', 'security');

const describeMembership = (text: string) => (): NotificationText => ({
  text,
  to: '/confirm',
  action: 'See your membership',
  icon: 'user-round',
  isAboutReader: true,
});

const describeModeration =
  (text: string, to: string, action: string, icon: IconName = 'circle-exclamation-point') =>
  ({ detail }: Notification): NotificationText => ({
    text: detail === '' ? text : `${text} “${detail}”`,
    to,
    action,
    icon,
    isAboutReader: to === paths.myProfile,
  });

const describeCampus = (change: string) => (): NotificationText => ({
  text: `Your university account was ${change}.`,
  to: security,
  action: 'It was not me',
  icon: 'lock',
  isSecurity: true,
});

/** Fields of a profile that a confirmation sets to the value of the university's list. */
const adoptedFieldNames: Readonly<Record<string, string>> = {
  matricNumber: 'matric number',
  department: 'department',
  yearAdmitted: 'year of admission',
  yearGraduated: 'year of graduation',
};

const describeByKind: Record<NotificationKind, (notification: Notification) => NotificationText> = {
  welcome: () => ({
    text: 'Welcome to the archive. Your profile is complete. See what it looks like to others.',
    to: withParam(paths.myProfile, 'as', 'everyone'),
    action: 'View as a guest',
    icon: 'user-round',
    isAboutReader: true,
  }),
  'career-question': () => ({
    text: 'Where are you now? Add your work and your city, so that your classmates find you.',
    to: careerFormPath,
    action: 'Add where you are',
    icon: 'briefcase',
  }),
  'email-verified': ({ detail }) => ({
    text: `Your email address ${detail} is verified.`,
    to: security,
    action: 'See your security settings',
    icon: 'mail-check',
    isSecurity: true,
  }),
  'new-device': ({ detail }) => ({
    text: `New sign-in on ${getDeviceName(detail)}.`,
    to: security,
    action: 'See where you are signed in',
    icon: 'log-in',
    isSecurity: true,
  }),
  'password-changed': () => ({
    text: 'Your password was changed.',
    to: security,
    action: 'It was not me',
    icon: 'lock',
    isSecurity: true,
  }),
  'email-changed': ({ detail }) => ({
    text: `Your email address is now ${detail}.`,
    to: security,
    action: 'It was not me',
    icon: 'mail-check',
    isSecurity: true,
  }),
  'campus-connected': describeCampus('connected'),
  'campus-disconnected': describeCampus('disconnected'),
  'campus-ending': ({ detail }) => ({
    text: `The university will close your email address on ${formatDate(detail)}. Change it to a personal one.`,
    to: security,
    action: 'Change your address',
    icon: 'mail-check',
    isAboutReader: true,
  }),
  joined: ({ count, detail }) => ({
    text: `${count === 1 ? '1 person' : `${count} people`} from ${detail} joined the archive.`,
    to: withParam(paths.dashboard, 'department', detail),
    action: reword('See your department'),
    icon: 'users-round',
  }),
  'photos-added': ({ count }) => ({
    text:
      count === 1
        ? reword('Someone from your department added a photo to the gallery.')
        : reword(`People from your department added ${count} photos to the gallery.`),
    to: paths.gallery,
    action: 'See the gallery',
    icon: 'images',
  }),
  'membership-confirmed': ({ detail }) =>
    detail === ''
      ? describeMembership('You are a confirmed member.')()
      : {
          text: `You are a confirmed member. Your profile now has what the university’s list says for: ${detail
            .split(',')
            .map((field) => reword(adoptedFieldNames[field] ?? field))
            .join(', ')}. If that is wrong, tell the alumni office.`,
          to: paths.myProfile,
          action: 'See your profile',
          icon: 'user-round',
          isAboutReader: true,
        },
  'membership-rejected': describeMembership('The alumni office could not confirm that you studied here.'),
  'membership-disputed': describeMembership('The alumni office is checking your membership. Nothing was deleted.'),
  'membership-expired': describeMembership('Your request has expired after 90 days. You can send it again.'),
  'membership-question': describeMembership('The alumni office has a question about your request.'),
  'change-accepted': describeModeration(
    'The alumni office accepted the change of your profile.',
    paths.myProfile,
    'See your profile',
    'user-round',
  ),
  'change-refused': describeModeration(
    'The alumni office did not accept the change of your profile.',
    paths.myProfile,
    'See your profile',
    'user-round',
  ),
  'photo-reported': describeModeration(
    'One of your photos is hidden while the alumni office reviews a report.',
    paths.gallery,
    'See the gallery',
  ),
  'photo-hidden': describeModeration(
    'The alumni office has hidden one of your photos.',
    paths.gallery,
    'See the gallery',
  ),
  'photo-taken-down': describeModeration(
    'The alumni office has taken down one of your photos. It will be deleted in 30 days.',
    paths.gallery,
    'See the gallery',
  ),
  'photo-restored': describeModeration('One of your photos is visible again.', paths.gallery, 'See the gallery'),
  'profile-hidden': describeModeration(
    'The alumni office has hidden your profile. Only you can see it.',
    paths.myProfile,
    'See your profile',
  ),
  'profile-restored': describeModeration('Your profile is visible again.', paths.myProfile, 'See your profile'),
  'account-suspended': describeModeration(
    'The alumni office has suspended your account for a time.',
    paths.myProfile,
    'See your profile',
  ),
  'report-acted': describeModeration('The alumni office has acted on your report.', paths.dashboard, 'See the archive'),
  'report-no-action': describeModeration(
    'The alumni office has reviewed your report and found no reason to act.',
    paths.dashboard,
    'See the archive',
  ),
  'account-restored': describeModeration('Your account is no longer suspended.', paths.myProfile, 'See your profile'),
};

export const describeNotification = (notification: Notification): NotificationText =>
  describeByKind[notification.kind](notification);
