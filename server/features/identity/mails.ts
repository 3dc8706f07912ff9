import type { ActionMode } from '#contract/identity.ts';
import { noticeHours } from '#contract/staff/values.ts';
import type { FactorChange } from './jobs.ts';
import { formatDay } from '#server/domain/format-day.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import type { Message } from '#server/platform/mail/mail.ts';

/**
 * Returns the URL of a mailed link (D3 in docs/conformance.md). Opening the link changes nothing, because the page then
 * sends a POST request.
 */
const buildLink = ({ publicUrl }: MailBranding, mode: ActionMode, code: string) =>
  `${publicUrl}/auth/verify?mode=${mode}&oobCode=${code}`;

export const composeVerification = (
  branding: MailBranding,
  to: string,
  { code, verifyBy }: { code: string; verifyBy: Date | null },
): Message =>
  composeMail(branding, to, {
    subject: 'Verify your email address',
    preview: 'Open the link within three days. Then you can complete your profile.',
    paragraphs: [
      `Welcome to the alumni archive of ${branding.institution}.`,
      'Open this link within three days to verify your address. Then you can complete your profile.',
      ...(verifyBy ? [`If you do not verify the address by ${formatDay(verifyBy)}, the account will be deleted.`] : []),
    ],
    action: { label: 'Verify my address', url: buildLink(branding, 'verifyEmail', code) },
    footer:
      'You received this email because someone signed up with this address. If it was not you, ignore this email.',
  });

export const composeAddressTest = (branding: MailBranding, to: string): Message =>
  composeMail(branding, to, {
    subject: 'Your email address works again',
    paragraphs: ['You asked us to try this address again. It works, so you do not need to do anything.'],
    footer: 'You received this email because someone who is signed in to your account requested it.',
  });

export const composePasswordReset = (branding: MailBranding, to: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'Choose a new password',
    paragraphs: [
      'Open this link within one hour to choose a new password. The link works once. Choosing a password signs you out on all devices.',
    ],
    action: { label: 'Choose a new password', url: buildLink(branding, 'resetPassword', code) },
    footer: 'If you did not request this, ignore this email. Your password will not change.',
  });

export const composeEmailChange = (branding: MailBranding, to: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'Confirm your new email address',
    paragraphs: [
      'Open this link within three days to use this address for your account. Until then, your account keeps its current address.',
    ],
    action: { label: 'Use this address', url: buildLink(branding, 'verifyAndChangeEmail', code) },
    footer:
      'You received this email because someone entered this address for an account. If it was not you, ignore this email.',
  });

export const composeAddressRequest = (branding: MailBranding, to: string, newEmail: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'The alumni office will change your email address',
    paragraphs: [
      `The alumni office was asked to change the address of your account from ${to} to ${newEmail}. This happens in ${noticeHours} hours, or earlier if a second person in the office agrees.`,
      'If you asked for it, you do not need to do anything. If not, refuse it with the button below.',
    ],
    action: { label: 'Refuse the change', url: buildLink(branding, 'refuseEmailChange', code) },
    footer: 'You received this email because your account has this address.',
  });

export const composeEmailRecovery = (branding: MailBranding, to: string, newEmail: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'Your email address was changed',
    paragraphs: [
      `Your account now uses ${newEmail} instead of ${to}. If you changed it, you do not need to do anything.`,
      'If it was not you, open this link within 30 days to restore this address. This also signs out all devices, and we send you a link to choose a new password.',
    ],
    action: { label: 'Not you? Restore this address', url: buildLink(branding, 'recoverEmail', code) },
    footer: 'You received this email because your account had this address.',
  });

/**
 * Creates the mail to the address that a recovery removes from an account. This address is probably an attacker's, but
 * may be the owner's.
 */
export const composeAddressRemoved = (branding: MailBranding, to: string): Message =>
  composeMail(branding, to, {
    subject: 'Your address was removed from an account',
    paragraphs: [
      'The previous address of an account was restored, so the account no longer uses this address. All devices were signed out.',
    ],
    footer:
      'If this is your account, contact the alumni office: someone with access to your previous mailbox has taken it over.',
  });

export const composePasswordChanged = (branding: MailBranding, to: string): Message =>
  composeMail(branding, to, {
    subject: 'Your password was changed',
    paragraphs: ['The password of your account was just changed. If you changed it, you do not need to do anything.'],
    action: { label: 'Not you? Choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'We send this email after every change of your password.',
  });

export const composeNewDevice = (branding: MailBranding, to: string, device: string): Message =>
  composeMail(branding, to, {
    subject: 'New sign-in to your account',
    paragraphs: [
      `Someone just signed in to your account with a new browser: ${device}. If it was you, you do not need to do anything.`,
    ],
    action: { label: 'Not you? Choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'Choosing a new password signs out all devices. You receive this email once for each new browser.',
  });

/** Subject and first sentence by change. Apart from the name of a passkey, they contain no user input. */
const factorChangeTexts: Record<
  FactorChange,
  (detail: string, abbreviation: string) => readonly [subject: string, sentence: string]
> = {
  'authenticator-added': () => [
    'An authenticator app was added',
    'Codes of an authenticator app can now be used as the second step when signing in to your account.',
  ],
  'authenticator-removed': () => [
    'Your authenticator app was removed',
    'Codes of your authenticator app can no longer be used to sign in to your account.',
  ],
  'passkey-added': (name) => [
    'A passkey was added',
    `The passkey “${name}” can now be used to sign in to your account.`,
  ],
  'passkey-removed': (name) => [
    'A passkey was removed',
    `The passkey “${name}” can no longer be used to sign in to your account.`,
  ],
  'recovery-codes-renewed': () => [
    'Your recovery codes were renewed',
    'Your account has ten new recovery codes. The old ones no longer work.',
  ],
  'recovery-code-used': (left) => [
    'A recovery code was used',
    `Someone just signed in to your account with one of your recovery codes. ${left === '0' ? 'None is' : left === '1' ? 'One is' : `${left} are`} left.`,
  ],
  'campus-connected': (_, abbreviation) => [
    `Your ${abbreviation} account was connected`,
    `Your ${abbreviation} account can now be used to sign in to the alumni archive. All other devices were signed out.`,
  ],
  'campus-disconnected': (_, abbreviation) => [
    `Your ${abbreviation} account was disconnected`,
    `Your ${abbreviation} account can no longer be used to sign in to the alumni archive. This also happens when the password is reset with a link that we sent by email, or an earlier address is restored: another person may have connected it. If it is yours, connect it again.`,
  ],
  'taken-away': () => [
    'A second sign-in step was removed',
    'Your password was reset with a link that we sent by email. To protect you, we removed every authenticator app and passkey that was added in the seven days before, in case it was not yours. If it was yours, add it again.',
  ],
  'reset-by-office': () => [
    'Your second sign-in step was removed',
    'The alumni office removed the authenticator app, passkeys and recovery codes of your account, because someone reported them as lost. You can set them up again under Security in your settings.',
  ],
  refused: () => [
    'Someone knows your password',
    'Someone entered your password and then failed the second sign-in step five times. They did not get in.',
  ],
  'campus-refused': (_, abbreviation) => [
    `Someone used your ${abbreviation} account`,
    `Someone signed in with your ${abbreviation} account and then failed the second sign-in step five times. They did not get in. Change its password at ${abbreviation}.`,
  ],
};

export const composeFactorChanged = (
  branding: MailBranding,
  to: string,
  { change, detail, isOn }: { change: FactorChange; detail: string; isOn: boolean },
): Message => {
  const [subject, sentence] = factorChangeTexts[change](detail, branding.brand.abbreviation);
  return composeMail(branding, to, {
    subject,
    paragraphs: [
      sentence,
      isOn
        ? 'Two-step sign-in is on: your password alone is not enough to sign in.'
        : 'Two-step sign-in is off: your password alone is enough to sign in.',
      'If it was you, you do not need to do anything. If not, choose a new password with the button below. This also removes every authenticator app and passkey that was added in the last seven days. Then check Security in your settings.',
    ],
    action: { label: 'Not you? Choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'We send this email whenever the way you sign in changes.',
  });
};

export const composeSignedOut = (branding: MailBranding, to: string): Message =>
  composeMail(branding, to, {
    subject: 'You were signed out on all devices',
    paragraphs: [
      'The alumni office signed you out on all devices, because someone asked for it or because your account may be at risk.',
      'Sign in again as usual. If someone else may know your password, choose a new one first.',
    ],
    action: { label: 'Choose a new password', url: `${branding.publicUrl}/reset-password` },
    footer: 'If you have questions, write to the alumni office.',
  });

interface PendingDeletionMail {
  readonly deletesAt: Date;
  /** Restores the account. Null in the mail to its current address, unless that is reserved. */
  readonly code: string | null;
  readonly isByOffice: boolean;
}

export const composePendingDeletion = (
  branding: MailBranding,
  to: string,
  { deletesAt, code, isByOffice }: PendingDeletionMail,
): Message =>
  composeMail(branding, to, {
    subject: 'Your account will be deleted',
    paragraphs: isByOffice
      ? [
          `The alumni office was asked to delete your account. Your profile is hidden now, and all sessions have ended. The account will be deleted on ${formatDay(deletesAt)}.`,
          code === null
            ? 'If you asked for this, you do not need to do anything. To keep the account, open the link in the email that we just sent to its previous address.'
            : 'If you asked for this, you do not need to do anything. If not, open the link below to keep your account. It shows your profile again. We then send you a link to choose a new password.',
        ]
      : [
          `Someone who was signed in to your account asked to delete it. Your profile is hidden now, and all sessions have ended. The account will be deleted on ${formatDay(deletesAt)}, because its email address was changed within the last 30 days.`,
          code === null
            ? 'If you asked for this, you do not need to do anything. To keep the account, open the link in the email that we just sent to its previous address.'
            : 'Your account had this address before. If you did not ask for this, open the link below to keep your account. It restores this address and shows your profile again. We then send you a link to choose a new password.',
        ],
    ...(code !== null && { action: { label: 'Keep my account', url: buildLink(branding, 'recoverEmail', code) } }),
    footer:
      'We send this email to the current address of the account and to every address that it had in the last 30 days.',
  });

export const composeAccountDeleted = (branding: MailBranding, to: string): Message =>
  composeMail(branding, to, {
    subject: 'Your account was deleted',
    preview: 'Your profile, your pictures and all other data were deleted with it.',
    paragraphs: ['Your account was deleted, together with your profile, your pictures and all other data.'],
    footer: 'This is the last email about this account.',
  });
