import type { ActionMode } from '#contract/identity.ts';
import type { FactorChange } from './jobs.ts';
import { type MailBranding, toMailSender } from '../../domain/mail-branding.ts';
import { type Message, composeMail } from '../../platform/mail/mail.ts';

/** The landing route for every mailed link (decision 3). Opening it changes nothing: the page acts, by POST. */
const linkTo = ({ publicUrl }: MailBranding, mode: ActionMode, code: string) =>
  `${publicUrl}/auth/verify?mode=${mode}&oobCode=${code}`;

/** @param verifyBy when the account is deleted unless the address is verified; null when it is not */
export const verifyEmail = (
  branding: MailBranding,
  to: string,
  { code, verifyBy }: { readonly code: string; readonly verifyBy: Date | null },
): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Verify your email address',
    paragraphs: [
      `Welcome to the alumni archive of ${branding.institution}.`,
      'Open this link within three days to show that this address is yours. After that you can complete your profile.',
      ...(verifyBy
        ? [`If you do not verify the address by ${day.format(verifyBy)}, the account will be deleted.`]
        : []),
    ],
    action: { label: 'Verify my address', url: linkTo(branding, 'verifyEmail', code) },
    footer: 'You receive this mail because somebody signed up with this address. If that was not you, do nothing.',
  });

/** To a verified address to which mail could not be delivered for a while, when its owner wants it tried again. */
export const addressWorks = (branding: MailBranding, to: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your email address works again',
    paragraphs: ['You asked us to try this address again. This mail has arrived, so nothing more is needed.'],
    footer: 'You receive this mail because somebody signed in to your account asked for it.',
  });

export const resetPassword = (branding: MailBranding, to: string, code: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Choose a new password',
    paragraphs: [
      'Open this link within one hour to choose a new password. It works once, and signs you out everywhere.',
    ],
    action: { label: 'Choose a new password', url: linkTo(branding, 'resetPassword', code) },
    footer: 'If you did not ask for this, do nothing: your password stays as it is.',
  });

export const verifyAndChangeEmail = (branding: MailBranding, to: string, code: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Confirm your new email address',
    paragraphs: [
      'Open this link within three days to use this address for your account. Until then, the old one counts.',
    ],
    action: { label: 'Use this address', url: linkTo(branding, 'verifyAndChangeEmail', code) },
    footer:
      'You receive this mail because somebody entered this address for an account. If that was not you, do nothing.',
  });

export const recoverEmail = (branding: MailBranding, to: string, newEmail: string, code: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your email address was changed',
    paragraphs: [
      `Your account now uses ${newEmail} instead of ${to}. If you did this, nothing more is needed.`,
      'If it was not you, take your account back within 30 days with this link. It also ends every session, and we send you a link for a new password.',
    ],
    action: { label: 'This was not me: take it back', url: linkTo(branding, 'recoverEmail', code) },
    footer: 'You receive this mail because this was the address of your account.',
  });

/** To the address that an account is taken back from: most likely a thief's, but it may be the owner's. */
export const addressReclaimed = (branding: MailBranding, to: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your address was taken off an account',
    paragraphs: [
      'The address that an account had before took it back, so this one does not belong to it any more. Every session of the account was ended.',
    ],
    footer: 'If this account is yours, ask the alumni office: somebody who reads your former mailbox has taken it.',
  });

export const passwordChanged = (branding: MailBranding, to: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your password was changed',
    paragraphs: ['The password of your account has just been changed. If you did this, nothing more is needed.'],
    action: { label: 'It was not me: choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'We send this mail after every change of the password.',
  });

export const newDevice = (branding: MailBranding, to: string, device: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'New sign-in to your account',
    paragraphs: [
      `Somebody has just signed in to your account with a browser that has not been here before: ${device}. If this was you, nothing more is needed.`,
    ],
    action: { label: 'It was not me: choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'A new password ends every session. You receive this mail once for each new browser.',
  });

/** Subject and first sentence. None says anything that a stranger could have typed, but for the name of a passkey. */
const factorChangeTexts: Record<FactorChange, (detail: string) => readonly [subject: string, sentence: string]> = {
  'authenticator-added': () => [
    'An authenticator app was added',
    'From now on the codes of an authenticator app are accepted as the second step of signing in to your account.',
  ],
  'authenticator-removed': () => [
    'Your authenticator app was removed',
    'The codes of your authenticator app open your account no longer.',
  ],
  'passkey-added': (name) => ['A passkey was added', `The passkey “${name}” can sign in to your account from now on.`],
  'passkey-removed': (name) => ['A passkey was removed', `The passkey “${name}” opens your account no longer.`],
  'recovery-codes-renewed': () => [
    'Your recovery codes were renewed',
    'There are ten new recovery codes for your account. The old ones open nothing any more.',
  ],
  'recovery-code-used': (left) => [
    'A recovery code was used',
    `Somebody has just signed in to your account with one of your recovery codes. ${left === '0' ? 'None is' : left === '1' ? 'One is' : `${left} are`} left.`,
  ],
  'taken-away': () => [
    'A second step of signing in was removed',
    'A new password was chosen with a link that we had mailed. What had been added in the seven days before it was taken away, in case it was not yours. Add it again if it was.',
  ],
  'reset-by-office': () => [
    'Your second step of signing in was removed',
    'The alumni office has taken away the authenticator app, passkeys and recovery codes of your account, because somebody told them that they were lost. Set them up again under Security in your settings.',
  ],
  refused: () => [
    'Somebody knows your password',
    'Somebody has typed your password, and then failed at the second step of signing in, five times. They did not get in.',
  ],
};

export const factorChanged = (
  branding: MailBranding,
  to: string,
  { change, detail, isOn }: { change: FactorChange; detail: string; isOn: boolean },
): Message => {
  const [subject, sentence] = factorChangeTexts[change](detail);
  return composeMail({
    to,
    ...toMailSender(branding),
    subject,
    paragraphs: [
      sentence,
      isOn
        ? 'Two-step sign-in is on: your password alone does not open your account.'
        : 'Two-step sign-in is off: your password alone opens your account.',
      'If this was you, nothing more is needed. If it was not, choose a new password by mail: that also takes away whatever was added within the last seven days. Then look at Security in your settings.',
    ],
    action: { label: 'It was not me: choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'We send this mail whenever something changes in how you sign in.',
  });
};

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** @param code restores the account; null for the address that the account has now */
export const accountWillBeDeleted = (
  branding: MailBranding,
  to: string,
  { deletesAt, code }: { deletesAt: Date; code: string | null },
): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your account will be deleted',
    paragraphs: [
      `Someone who was signed in to your account asked to delete it. Your profile is hidden now, and all sessions have ended. The account will be deleted on ${day.format(deletesAt)}, because its email address was changed within the last 30 days.`,
      code === null
        ? 'If you asked for this, nothing more is needed. To keep the account, open the link in the mail that we have just sent to the previous address of the account.'
        : 'Your account had this address before. If you did not ask for this, open the link below to keep your account. It restores this address and shows your profile again. We then send you a link to choose a new password.',
    ],
    ...(code !== null && { action: { label: 'Keep my account', url: linkTo(branding, 'recoverEmail', code) } }),
    footer:
      'We send this mail to the current address of the account and to every address that it had in the last 30 days.',
  });

export const accountDeleted = (branding: MailBranding, to: string): Message =>
  composeMail({
    to,
    ...toMailSender(branding),
    subject: 'Your account was deleted',
    paragraphs: ['Your account and everything that belonged to it, your profile and your picture, have been deleted.'],
    footer: 'We send this mail once. There is nothing left here that it could be about.',
  });
