-- Second order of names, for searches by first name: the words of first, last and middle name, folded. Empty until the rebuild below
-- has written it; until then such people are found by their search words only.
alter table listings add column given_sort_name text collate "C" not null default '';
create index listings_by_given_name on listings (audience, given_sort_name, account_id);

insert into pending_search_rebuild select true where exists (select from listings) on conflict do nothing;
