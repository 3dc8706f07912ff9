/**
 * SQL condition on a row of `accounts`: whether the account still has to be confirmed before it counts as a member.
 * Always false in the mode `open` and in the grace period. This is the only place that decides it; `Account` and
 * `Person` have the result as `awaitsConfirmation`.
 *
 * A grace period does not end at the time `confirm_by`: a job sets the column to null in the transaction that removes
 * the listings (`endGracePeriod`). So lists and rights always agree, and a wrong clock takes no rights away.
 */
export const awaitsConfirmationSql = `(membership_status <> 'confirmed' and confirm_by is null
  and (select mode = 'confirmed' from membership_mode))`;
