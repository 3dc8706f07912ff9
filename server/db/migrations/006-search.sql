-- Search that forgives: a vocabulary of the words by which people are found, with the ways in which they are misspelled.

alter table profiles
  -- Former and nick names, as somebody writes them; '' for none.
  add column other_names text not null default '';
alter table listings add column other_names text;

-- Every word of letters that stands in a listing of members; numbers are found by their beginnings alone.
create table search_words (
  id integer generated always as identity primary key,
  word text collate "C" not null unique,
  -- About how many people have it; counted anew at night. It says what to try first, and nothing else.
  people integer not null default 1
);

-- What a word becomes when letters are left out of it, and how it sounds; as numbers, server/domain/spelling.ts makes them.
create table search_spellings (
  key integer not null,
  word_id integer not null references search_words on delete cascade,
  primary key (key, word_id)
);
create index search_spellings_word on search_spellings (word_id);

-- College and year are words too.
update listings set search = search || array_to_tsvector(array_remove(
  array[lower(college), year_graduated::text], null)) where college is not null or year_graduated is not null;

-- What waits in a list until it is worth while would be read by every search.
drop index listings_search_everyone, listings_search_members;
create index listings_search_everyone on listings using gin (search) with (fastupdate = off) where audience = 'everyone';
create index listings_search_members on listings using gin (search) with (fastupdate = off) where audience = 'members';
