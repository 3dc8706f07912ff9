import type { CollectMyData } from '../../domain/my-data.ts';
import { findDevices } from './sessions/devices.ts';
import { findSecondFactor } from './second-factor/second-factor.ts';
import { findAcceptedTerms } from './account/terms.ts';

/** Collects the account data: addresses, accepted terms, sessions and second factor. */
export const collectIdentityData: CollectMyData = async ({ db }, session) => {
  const { id } = session.account;
  const account = await db
    .selectFrom('accounts')
    .select([
      'email',
      'email_verified',
      'pending_email',
      'display_name',
      'created_at',
      'verify_by',
      'mail_failed_at',
      'mail_failed_to',
      'last_seen_at',
      'hidden_until_sign_in',
    ])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const held = await db
    .selectFrom('held_addresses')
    .select(['email', 'until'])
    .where('account_id', '=', id)
    .orderBy('until')
    .execute();
  const known = await db
    .selectFrom('known_devices')
    .select('seen_at')
    .where('account_id', '=', id)
    .orderBy('seen_at', 'desc')
    .execute();
  const devices = await findDevices(db, session);
  return {
    account: {
      uid: id,
      email: account.email,
      emailVerified: account.email_verified,
      displayName: account.display_name,
      createdAt: account.created_at,
      deletedUnlessVerifiedBy: account.email_verified ? null : account.verify_by,
      lastSeenAt: account.last_seen_at,
      hiddenUntilYouSignIn: account.hidden_until_sign_in,
      newEmailNotYetConfirmed: account.pending_email,
      mailCouldNotBeDelivered:
        account.mail_failed_at === null ? null : { to: account.mail_failed_to, since: account.mail_failed_at },
      formerEmails: held.map(({ email, until }) => ({ email, keptForYouUntil: until })),
      acceptedTerms: await findAcceptedTerms(db, id),
      signedIn: devices.map(({ current, createdAt, seenAt, userAgent }) => ({ current, createdAt, seenAt, userAgent })),
      secondFactor: await findSecondFactor(db, id),
      browsersThatHaveSignedInBefore: known.map(({ seen_at }) => ({ seenAt: seen_at })),
    },
  };
};
