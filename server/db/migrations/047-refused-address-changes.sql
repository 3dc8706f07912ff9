-- A link with which the current mailbox refuses a change of address that staff requested.
alter table action_codes
  drop constraint action_codes_mode_check,
  add constraint action_codes_mode_check
    check (mode in ('verifyEmail', 'resetPassword', 'recoverEmail', 'verifyAndChangeEmail', 'refuseEmailChange'));
