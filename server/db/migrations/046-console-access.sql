-- A new second factor of a member of staff opens the staff console only after a delay or an approval.
alter table accounts
  -- Time of the last password reset by mail.
  add column password_reset_at timestamptz,
  -- Since when the staff console waits for an approval of a new second factor. Null: it does not wait.
  add column console_held_at timestamptz,
  -- Time at which the operator last granted a role by a command.
  add column console_vouched_at timestamptz;
