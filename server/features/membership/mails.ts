import { requiredVouches } from '#contract/vouching.ts';
import { replaceTerms } from '#contract/words.ts';
import type { AdoptedField } from '#server/domain/membership/adopt-entry.ts';
import type { MembershipOutcome } from '#server/domain/membership/membership-notices.ts';
import { type MailBranding, composeMail } from '#server/domain/mail/mail-branding.ts';
import { groupMembershipCode } from '#server/domain/membership/membership-codes.ts';
import type { Message } from '#server/platform/mail/mail.ts';

const outcomeTexts: Record<MembershipOutcome, { subject: string; paragraphs: readonly string[]; label: string }> = {
  confirmed: {
    subject: 'You are a confirmed member',
    paragraphs: [
      'The university has confirmed that you studied here. You now have access to everything that members see.',
    ],
    label: 'Open the archive',
  },
  rejected: {
    subject: 'We could not confirm that you studied here',
    paragraphs: [
      'The alumni office could not confirm that you studied here. Your account and your profile remain.',
      'Read the reason below. You can try again, or take a document such as your ID card to the alumni office.',
    ],
    label: 'See your membership',
  },
  disputed: {
    subject: 'Your membership is being checked',
    paragraphs: [
      'Someone else says that your account was confirmed in their name. The alumni office will find out who is right and write to you.',
      'Until then, members do not see your profile, and you see what guests see. Nothing was deleted.',
    ],
    label: 'See your membership',
  },
  reopened: {
    subject: 'Your membership is being checked',
    paragraphs: [
      'Classmates confirmed that they know you. Some of their answers no longer count, so the alumni office has to check your membership. It will write to you. If you have a code from the university, the code confirms you at once.',
      'Until then, members do not see your profile, and you see what guests see. Nothing was deleted.',
    ],
    label: 'See your membership',
  },
  withdrawn: {
    subject: 'Your membership is no longer confirmed',
    paragraphs: [
      'The alumni office has withdrawn the confirmation that you studied here. Members no longer see your profile, and you see what guests see. Nothing was deleted.',
    ],
    label: 'See your membership',
  },
  'change-accepted': {
    subject: 'Your profile was changed',
    paragraphs: ['The alumni office accepted the change of your profile. Everyone sees the new values now.'],
    label: 'Open the archive',
  },
  'change-refused': {
    subject: 'Your profile was not changed',
    paragraphs: [
      'The alumni office did not accept the change of your profile. Your profile keeps the values that it was confirmed with.',
      'You can enter a new name as “other name”, so that people find you by it.',
    ],
    label: 'Open the archive',
  },
  expired: {
    subject: 'Your request has expired',
    paragraphs: [
      'The alumni office could not decide within 90 days whether you studied here. You can send your request again.',
    ],
    label: 'See your membership',
  },
};

const fieldNames: Record<AdoptedField, string> = {
  matricNumber: 'matric number',
  department: 'department',
  yearAdmitted: 'year of admission',
  yearGraduated: 'year of graduation',
};

export function composeOutcome(
  branding: MailBranding,
  to: string,
  { outcome, reason, changed }: { outcome: MembershipOutcome; reason: string; changed: readonly AdoptedField[] },
): Message {
  const { subject, paragraphs, label } = outcomeTexts[outcome];
  return composeMail(branding, to, {
    subject,
    paragraphs: [
      ...paragraphs,
      ...(changed.length === 0
        ? []
        : [
            `Your profile now has what the university’s list says for: ${changed.map((field) => replaceTerms(fieldNames[field], branding.words)).join(', ')}. If that is wrong, tell the alumni office.`,
          ]),
    ],
    ...(reason !== '' && { quote: reason }),
    action: {
      label,
      url: `${branding.publicUrl}${outcome === 'confirmed' || outcome.startsWith('change-') ? '/' : '/confirm'}`,
    },
    footer: 'You received this email because you have an account in the alumni archive.',
  });
}

/** Does not name the member: whom the claimant asked, they know. */
export const composeVouched = (branding: MailBranding, to: string, received: number): Message =>
  composeMail(branding, to, {
    subject: 'A member has vouched for you',
    paragraphs: [
      `${received} of ${requiredVouches} members have said that they know you. Send your link to another member of your class.`,
    ],
    action: { label: 'See your membership', url: `${branding.publicUrl}/confirm` },
    footer: 'You received this email because you asked members to vouch for you in the alumni archive.',
  });

export const composeQuestion = (branding: MailBranding, to: string, text: string): Message =>
  composeMail(branding, to, {
    subject: 'The alumni office has a question',
    paragraphs: [
      'Open the page below to answer. There you can also send one photo or PDF of a document. Do not answer this email.',
    ],
    quote: text,
    action: { label: 'Answer the question', url: `${branding.publicUrl}/confirm` },
    footer: 'You received this email because you asked to be confirmed as a member of the alumni archive.',
  });

/** Reports that an account was confirmed as this entry. Contains none of its values, because mailboxes are reused. */
export const composeEntryNotice = (branding: MailBranding, to: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'An account in the alumni archive was confirmed as you',
    preview: 'If it was you, you do not need to do anything.',
    paragraphs: [
      `The university’s list has this email address for one of its students or graduates. In the alumni archive of ${branding.institution}, an account with another email address was confirmed as that person.`,
      'If it was you, you do not need to do anything. If it was not you, open the link and report it.',
    ],
    action: { label: 'Not you?', url: `${branding.publicUrl}/not-you?code=${code}` },
    footer: 'You received this email because the university has this address on its list of students and graduates.',
  });

/** Asks about a claim that agrees with this entry. Contains none of its values, because mailboxes are reused. */
export const composeEntryQuestion = (branding: MailBranding, to: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'Someone asks to be confirmed as you',
    preview: 'If it is you, you do not need to do anything.',
    paragraphs: [
      `The university’s list has this email address for one of its students or graduates. In the alumni archive of ${branding.institution}, an account with another email address asks to be confirmed as that person.`,
      'If it is you, you do not need to do anything. If it is not you, open the link within seven days and tell the alumni office.',
    ],
    action: { label: 'Not you?', url: `${branding.publicUrl}/not-you?code=${code}` },
    footer: 'You received this email because the university has this address on its list of students and graduates.',
  });

export const composeMailedCode = (branding: MailBranding, to: string, code: string): Message =>
  composeMail(branding, to, {
    subject: 'Your code for the alumni archive',
    preview: 'The code works once, within 24 hours.',
    paragraphs: [
      `Enter this code in the alumni archive of ${branding.institution} to confirm that you studied here: ${groupMembershipCode(code)}`,
      'The code works once, within 24 hours, in the account that requested it.',
    ],
    action: { label: 'Enter the code', url: `${branding.publicUrl}/join/${code}` },
    footer: 'If you did not request this, ignore this email. Do not give the code to anyone.',
  });

export const composeRefusedRequests = (branding: MailBranding, to: string, matricNumber: string): Message =>
  composeMail(branding, to, {
    subject: 'Too many requests for a code for one matric number',
    preview: 'Someone may be guessing a birth date.',
    paragraphs: [
      `Several accounts asked for a mailed code for the matric number ${matricNumber}. Further requests for it are refused for up to 90 days.`,
      'Someone may be guessing the birth date. If the person asks you for help, give them a printed code: it still works.',
    ],
    action: { label: 'Open the staff console', url: `${branding.publicUrl}/staff` },
    footer: 'You received this email because you decide claims in the alumni archive.',
  });
