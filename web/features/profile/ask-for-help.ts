import type { HelpKind } from '#contract/career-values.ts';

/** The button of a help offer, and the first sentence of the message that it opens. */
export const helpRequests: Readonly<Record<HelpKind, { readonly label: string; readonly sentence: string }>> = {
  advice: { label: 'Ask for advice', sentence: 'Your profile says that you are willing to give advice. ' },
  internship: {
    label: 'Ask about internships',
    sentence: 'Your profile says that you are willing to help with internships. ',
  },
  referral: { label: 'Ask for a referral', sentence: 'Your profile says that you are willing to give referrals. ' },
  talk: { label: 'Ask for a talk', sentence: 'Your profile says that you are willing to give talks. ' },
};

/** Returns the first sentence for the value of `?write=`, or an empty text. */
export const findHelpSentence = (kind: string | null): string =>
  kind !== null && Object.hasOwn(helpRequests, kind) ? helpRequests[kind as HelpKind].sentence : '';
