-- An address of an account to which mail cannot be delivered, as its mail server said or the office found out.

alter table accounts
  add column mail_failed_at timestamptz,
  -- The account's address, or the one that it is to be moved to.
  add column mail_failed_to text,
  add column mail_fault text check (mail_fault in ('no-mailbox', 'closed', 'reported')),
  add check (num_nonnulls(mail_failed_at, mail_failed_to, mail_fault) in (0, 3));

create index accounts_mail_failed on accounts (mail_failed_to) where mail_failed_to is not null;
create index accounts_pending on accounts (pending_email) where pending_email is not null;

-- What is known of an address says nothing about another one, and is not kept longer than the address.
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

-- A mail that may have arrived twice, because the mail server took it and did not say so, has a code in each copy: those of
-- one mail live beside each other, and the next mail replaces them all.
alter table action_codes add column mail_id text;
