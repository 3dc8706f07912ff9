-- Addresses that mail cannot be delivered to, as reported by their mail server or by the operator.

alter table accounts
  add column mail_failed_at timestamptz,
  -- The account's address, or its pending new address.
  add column mail_failed_to text,
  add column mail_fault text check (mail_fault in ('no-mailbox', 'closed', 'reported')),
  add check (num_nonnulls(mail_failed_at, mail_failed_to, mail_fault) in (0, 3));

create index accounts_mail_failed on accounts (mail_failed_to) where mail_failed_to is not null;
create index accounts_pending on accounts (pending_email) where pending_email is not null;

-- Deletes the delivery failure when the account no longer uses the address.
create function forget_mail_failure() returns trigger language plpgsql as $$
begin
  if new.mail_failed_to is distinct from new.email and new.mail_failed_to is distinct from new.pending_email
  then
    new.mail_failed_at := null;
    new.mail_failed_to := null;
    new.mail_fault := null;
  end if;
  return new;
end $$;
create trigger forget_mail_failure before update of email, pending_email, mail_failed_to on accounts
  for each row when (new.mail_failed_to is not null) execute function forget_mail_failure();

-- A mail can arrive twice if the mail server accepted it without confirming. Each copy has its own code. All codes of one mail are
-- valid; the next mail replaces them all.
alter table action_codes add column mail_id text;
