import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { PersonState } from '#contract/staff/people.ts';
import { personStates } from '#contract/staff/people-values.ts';
import type { ProfileField } from '#contract/visibility.ts';
import { noneValue } from '#contract/none.ts';
import { awaitsConfirmationSql } from '#server/domain/membership/membership-status.ts';

/*
 * SQL about an account `a` and its profile `p`, which is null for an account without one. Every query of this feature
 * names them so.
 */

const stateConditions: Readonly<Record<PersonState, RawBuilder<SqlBool>>> = {
  unverified: sql`not a.email_verified`,
  'no-profile': sql`a.display_name is null`,
  unconfirmed: sql`(a.membership_status = 'unconfirmed' and ${sql.raw(awaitsConfirmationSql)})`,
  confirmed: sql`a.membership_status = 'confirmed'`,
  disputed: sql`a.membership_status = 'disputed'`,
  rejected: sql`a.membership_status = 'rejected'`,
  // `is_active` follows from the other columns. Its index has only the few accounts that are not.
  suspended: sql`(not a.is_active and (a.disabled_at is not null or a.suspended_until is not null))`,
  hidden: sql`(coalesce(p.is_hidden, false) or a.hidden_until_sign_in is not null or a.profile_hidden_at is not null)`,
  'deletion-requested': sql`(not a.is_active and a.deletes_at is not null)`,
};

export const isInState = (state: PersonState): RawBuilder<SqlBool> => stateConditions[state];

export const selectState = (state: PersonState): RawBuilder<SqlBool> =>
  state === 'hidden'
    ? // The planner would read all accounts for a condition with OR.
      sql`a.id in (
        select account_id from profiles where is_hidden
        union all select id from accounts where hidden_until_sign_in is not null
        union all select id from accounts where profile_hidden_at is not null)`
    : stateConditions[state];

const statesOf: RawBuilder<PersonState[]> = sql`array_remove(array[${sql.join(
  personStates.map((state) => sql`case when ${stateConditions[state]} then ${sql.lit(state)} end`),
)}], null)`;

/** As far as the person chose. No field is hidden by default (contract/visibility.ts). */
export const isShown = (field: ProfileField): RawBuilder<SqlBool> =>
  sql`(p.visibility ->> ${sql.lit(field)} is distinct from 'me')`;

export const foundColumns = sql`
  a.id, a.created_at as "createdAt", ${statesOf} as states,
  case when p.account_id is not null
    then concat_ws(' ', p.last_name, p.first_name, nullif(nullif(p.middle_name, ${sql.lit(noneValue)}), '')) end as name,
  case when ${isShown('email')} then a.email end as email,
  case when ${isShown('department')} then p.department end as department,
  case when ${isShown('yearGraduated')} then p.year_graduated end as "yearGraduated"`;
