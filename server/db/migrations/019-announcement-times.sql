-- Announcements that are sent later, and whose replies have a name.
alter table announcements
  -- When a scheduled one is sent, or one that waits for an approval. Null: at once.
  add send_at timestamptz,
  -- Display name of the address for replies. Empty: none.
  add reply_name text not null default '',
  drop constraint announcements_state_check,
  add constraint announcements_state_check check (state in ('draft', 'scheduled', 'sending', 'sent', 'stopped'));
