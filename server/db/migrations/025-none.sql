-- "-" means that a person has no such text, for example no middle name. Names on cards no longer contain it, so the rebuild writes the
-- listings of these people again.
insert into pending_search_rebuild
select true where exists (select from profiles where '-' in (middle_name, other_names, matric_number))
on conflict do nothing;
