import { resendCooldownSeconds } from '#contract/durations.ts';
import type { Config } from '#server/platform/config/config.ts';
import type { RateLimitRule, RateLimiter } from '#server/platform/limits/rate-limits.ts';

const [minute, hour, day] = [60, 60 * 60, 24 * 60 * 60];

/**
 * Every rate limit of the server. A whole campus can share one IPv4 address (carrier-grade NAT), so limits by address
 * are wide and limits by account are narrow. Decision 31 explains the numbers.
 */
export const rateLimitRules = {
  signInByAddress: { maxHits: 100, windowSeconds: 15 * minute },
  signInByAccountAndAddress: { maxHits: 5, windowSeconds: 5 * minute },
  signInByAccount: { maxHits: 50, windowSeconds: hour },
  signInByDevice: { maxHits: 50, windowSeconds: hour },
  /** Counts correct passwords as well, because each new session adds a row and may send a security mail. */
  sessionsByAccount: { maxHits: 120, windowSeconds: hour },
  sessionsByDevice: { maxHits: 120, windowSeconds: hour },
  /**
   * Limit for sign-ins with a pending second factor. Browsers that have signed in before have a separate limit, so an
   * attacker who has only the password cannot lock the owner out.
   */
  pendingByAccount: { maxHits: 60, windowSeconds: hour },
  pendingByDevice: { maxHits: 60, windowSeconds: hour },
  secondFactorByAccount: { maxHits: 10, windowSeconds: hour },
  secondFactorByDevice: { maxHits: 10, windowSeconds: hour },
  secondFactorMailByRecipient: { maxHits: 3, windowSeconds: day, isMailbox: true },
  newDeviceMailByRecipient: { maxHits: 10, windowSeconds: hour, isMailbox: true },
  setUpFactorByAccount: { maxHits: 30, windowSeconds: hour },
  passkeyByAddress: { maxHits: 600, windowSeconds: 15 * minute },
  campusByAddress: { maxHits: 600, windowSeconds: 15 * minute },
  signUpByAddress: { maxHits: 60, windowSeconds: hour },
  /**
   * Responses that reveal that an address has an account. The limit is separate, so that probing does not block other
   * sign-ups.
   */
  refusedSignUpByAddress: { maxHits: 300, windowSeconds: hour },
  /** Sign-up mails of the whole installation (SIGN_UP_MAILS_PER_HOUR). */
  signUpMails: { maxHits: 500, windowSeconds: hour, problem: 'sign-up/too-many-requests' },
  /** Sign-up mails per network, so that no single network uses up the limit of the installation. */
  signUpMailsByAddress: { maxHits: 100, windowSeconds: hour, maxShareOf: { rule: 'signUpMails', share: 0.5 } },
  reauthenticateByAccount: { maxHits: 10, windowSeconds: 5 * minute },
  reauthenticateByAccountAndDay: { maxHits: 50, windowSeconds: day },
  resetByAddress: { maxHits: 60, windowSeconds: hour },
  resetMailByRecipient: { maxHits: 5, windowSeconds: hour, isMailbox: true },
  verificationMailByAccount: { maxHits: 1, windowSeconds: resendCooldownSeconds },
  verificationMailByRecipient: { maxHits: 10, windowSeconds: hour, isMailbox: true },
  changeEmailByAccount: { maxHits: 5, windowSeconds: hour },
  changePasswordByAccount: { maxHits: 5, windowSeconds: hour },
  codesByAddress: { maxHits: 200, windowSeconds: hour },
  tokenByAccount: { maxHits: 120, windowSeconds: hour },
  exportByAccount: { maxHits: 10, windowSeconds: hour },
  /** Saves of the profile and of the privacy settings (SAVES_PER_HOUR). */
  profileByAccount: { maxHits: 60, windowSeconds: hour, isUnlogged: true },
  /** Saves of the profile with a new portrait: half of SAVES_PER_HOUR. */
  picturesByAccount: { maxHits: 30, windowSeconds: hour },
  photosByAccount: { maxHits: 100, windowSeconds: hour },
  contactBySender: { maxHits: 10, windowSeconds: day },
  /** For members whose profile is less than a day old, so that new accounts cannot send bulk messages. */
  contactByNewSender: { maxHits: 3, windowSeconds: day },
  contactByPair: { maxHits: 3, windowSeconds: day },
  reportsByReporter: { maxHits: 20, windowSeconds: day },
  guestReportsByAddress: { maxHits: 60, windowSeconds: day },
  reportMailByRecipient: { maxHits: 3, windowSeconds: day, isMailbox: true },
  contactByRecipient: { maxHits: 40, windowSeconds: day },
  claimsByAccount: { maxHits: 5, windowSeconds: day },
  claimsByAddress: { maxHits: 60, windowSeconds: day },
  claimAnswersByAccount: { maxHits: 20, windowSeconds: day },
  claimQuestionsByClaimant: { maxHits: 5, windowSeconds: day, problem: 'staff/too-many-requests' },
  /**
   * First claims from one mailbox, also of accounts deleted since. Above it, evidence by email does not confirm: the
   * mailbox may have a new owner.
   */
  firstClaimsByMailbox: { maxHits: 3, windowSeconds: 90 * day, isMailbox: true },
  /** People for whom a member vouches. Also counts accounts that were deleted since, or ask again after a withdrawal. */
  vouchesByAccount: { maxHits: 5, windowSeconds: 30 * day },
  membershipCodesByAccount: { maxHits: 10, windowSeconds: hour },
  membershipCodesByAddress: { maxHits: 200, windowSeconds: hour },
  /**
   * Counted before `mailedCodesByMatricNumber`, so that one account cannot use up the requests for the number of
   * another person.
   */
  mailedCodesByAccount: { maxHits: 3, windowSeconds: 90 * day },
  /**
   * Requests for a mailed code for one matric number, by all accounts: each is a guess of the birth date, also a
   * repeated one.
   */
  mailedCodesByMatricNumber: { maxHits: 5, windowSeconds: 90 * day },
  refusedCodesByMatricNumber: { maxHits: 2, windowSeconds: 90 * day },
  refusalNoticesByMatricNumber: { maxHits: 1, windowSeconds: 90 * day },
  mailedCodesByRecipient: { maxHits: 3, windowSeconds: day, isMailbox: true },
  /**
   * Questions to the address of a roster entry whether a claim is by this person. Above it, staff decide one by one.
   */
  entryQuestionsByRecipient: { maxHits: 3, windowSeconds: 90 * day, isMailbox: true },
  invitationsByRecipient: { maxHits: 3, windowSeconds: day, problem: 'staff/too-many-requests', isMailbox: true },
  staffActionsByAccount: { maxHits: 120, windowSeconds: hour, problem: 'staff/too-many-requests' },
  staffActionsByPair: { maxHits: 10, windowSeconds: hour, problem: 'staff/too-many-requests' },
  reviewNotesByAccount: { maxHits: 120, windowSeconds: hour, problem: 'staff/too-many-requests' },
  /** Requests for an approval. Each one mails all owners, or all staff. */
  approvalRequestsByAccount: { maxHits: 10, windowSeconds: 6 * hour, problem: 'staff/too-many-requests' },
  /** Uploads of the roster. Each stores a file of up to 100 MB. */
  rosterUploadsByAccount: { maxHits: 30, windowSeconds: hour, problem: 'staff/too-many-requests' },
  browserErrorsByAddress: { maxHits: 120, windowSeconds: hour, isUnlogged: true },
  passwordStatusByAddress: { maxHits: 3_000, windowSeconds: hour, isUnlogged: true },
} as const satisfies Record<string, RateLimitRule>;

export type RateLimitName = keyof typeof rateLimitRules;

export type Limiter = RateLimiter<RateLimitName>;

export const createRateLimitRules = ({
  savesPerHour,
  signUpMailsPerHour,
}: Pick<Config, 'savesPerHour' | 'signUpMailsPerHour'>): Record<RateLimitName, RateLimitRule<RateLimitName>> => ({
  ...rateLimitRules,
  profileByAccount: { ...rateLimitRules.profileByAccount, maxHits: savesPerHour },
  picturesByAccount: { ...rateLimitRules.picturesByAccount, maxHits: Math.ceil(savesPerHour / 2) },
  signUpMails: { ...rateLimitRules.signUpMails, maxHits: signUpMailsPerHour },
});

/** The privacy page states their longer retention separately. */
const rulesAboutClaims: ReadonlySet<string> = new Set<RateLimitName>([
  'firstClaimsByMailbox',
  'mailedCodesByAccount',
  'mailedCodesByMatricNumber',
  'refusedCodesByMatricNumber',
  'refusalNoticesByMatricNumber',
  'entryQuestionsByRecipient',
  'vouchesByAccount',
]);

export const maxRateLimitWindowSeconds = Math.max(
  ...Object.entries(rateLimitRules).map(([name, rule]) => (rulesAboutClaims.has(name) ? 0 : rule.windowSeconds)),
);
