-- A person with two degrees has two entries on the roster. The confirmation of the account is about the first one. Staff
-- link the others, which are `is_further`.

alter table roster_links
  drop constraint roster_links_account_id_key,
  add column is_further boolean not null default false;
create unique index roster_links_first on roster_links (account_id) where not is_further;
create index roster_links_account on roster_links (account_id);
