import { sql } from 'kysely';
import type { CollectMyData } from '#server/domain/my-data.ts';
import { findConnection } from '#server/domain/campus-arrival.ts';
import { findDevices } from './sessions/devices.ts';
import { findSecondFactor } from './second-factor/second-factor.ts';
import { findAcceptedTerms } from './account/terms.ts';

export const collectIdentityData: CollectMyData = async ({ db }, session) => {
  const { id } = session.account;
  const { mail_failed_at, mail_failed_to, ...account } = await db
    .selectFrom('accounts')
    .select([
      'id as uid',
      'email',
      'email_verified as emailVerified',
      'display_name as displayName',
      'created_at as createdAt',
      sql<Date | null>`case when not email_verified then verify_by end`.as('deletedUnlessVerifiedBy'),
      'last_seen_at as lastSeenAt',
      'hidden_until_sign_in as hiddenUntilYouSignIn',
      'pending_email as newEmailNotYetConfirmed',
      'mail_failed_at',
      'mail_failed_to',
    ])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const formerEmails = await db
    .selectFrom('held_addresses')
    .select(['email', 'until as keptForYouUntil'])
    .where('account_id', '=', id)
    .orderBy('until')
    .execute();
  const known = await db
    .selectFrom('known_devices')
    .select('seen_at as seenAt')
    .where('account_id', '=', id)
    .orderBy('seen_at', 'desc')
    .execute();
  const devices = await findDevices(db, session);
  const connection = await findConnection(db, id);
  return {
    account: {
      ...account,
      mailCouldNotBeDelivered: mail_failed_at && { to: mail_failed_to, since: mail_failed_at },
      formerEmails,
      acceptedTerms: await findAcceptedTerms(db, id),
      signedIn: devices.map(({ current, createdAt, seenAt, userAgent }) => ({ current, createdAt, seenAt, userAgent })),
      secondFactor: await findSecondFactor(db, id),
      browsersThatHaveSignedInBefore: known,
      ...(connection && { universityAccount: connection }),
    },
  };
};
