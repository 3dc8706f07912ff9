/**
 * SQL condition on a row of `accounts`: whether the account still has to be confirmed before it counts as a member. Always false in the mode
 * `open` and in the grace period. This is the only place that decides it; `Account` and `Person` have the result as `awaitsConfirmation`.
 */
export const awaitsConfirmationSql = `(membership_status <> 'confirmed' and coalesce(confirm_by <= now(), true)
  and (select mode = 'confirmed' from membership_mode))`;
