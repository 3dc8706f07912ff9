-- Folded words are cut to 64 code points (server/domain/folding.ts). Longer ones could overflow the length of a lexeme, which
-- array_to_tsvector does not check: such a search vector cannot be read back.

-- One character folds to at most 18 bytes, so only texts of more than 100 characters can contain such a word, and only these two
-- fields can be that long. The affected people can be found again after the rebuild below.
update listings set search = '' where char_length(other_names) > 100 or char_length(department) > 100;

-- Removes words that are too long to be looked up.
truncate search_words, search_spellings;

-- Has one row until listings and vocabulary are rebuilt from the profiles. Each start that finds the row queues the rebuild
-- (server/domain/search-rebuild.ts).
create table pending_search_rebuild (
  is_only_row boolean primary key default true check (is_only_row)
);
insert into pending_search_rebuild select true where exists (select from listings);
