-- Typo-tolerant search: the vocabulary of words that people can be found by, and their likely misspellings.

alter table profiles
  -- Former names and nicknames as entered; '' for none.
  add column other_names text not null default '';
alter table listings add column other_names text;

-- Every word of letters in the listings for members. Numbers are only found by prefix.
create table search_words (
  id integer generated always as identity primary key,
  word text collate "C" not null unique,
  -- Approximate number of people with this word, recounted every night. Only used to order the suggestions.
  people integer not null default 1
);

-- Deletion variants and phonetic keys of each word, hashed to numbers (server/domain/spelling.ts).
create table search_spellings (
  key integer not null,
  word_id integer not null references search_words on delete cascade,
  primary key (key, word_id)
);
create index search_spellings_word on search_spellings (word_id);

-- Adds college and year to the search words.
update listings set search = search || array_to_tsvector(array_remove(
  array[lower(college), year_graduated::text], null)) where college is not null or year_graduated is not null;

-- fastupdate = off: every search would have to scan the pending list.
drop index listings_search_everyone, listings_search_members;
create index listings_search_everyone on listings using gin (search) with (fastupdate = off) where audience = 'everyone';
create index listings_search_members on listings using gin (search) with (fastupdate = off) where audience = 'members';
