-- Folded words are cut to 64 code points (server/domain/folding.ts). Longer ones could overflow the length of a lexeme, which
-- array_to_tsvector does not check: such a search vector cannot be read back.

-- One character folds to at most 18 bytes, so only texts of more than 100 characters could have such a word, and only these two
-- fields can be that long. The people in question are found again when the rebuild below is done.
update listings set search = '' where char_length(other_names) > 100 or char_length(department) > 100;

-- An empty vocabulary tells the next start to rebuild listings and vocabulary from the profiles (server/domain/search-rebuild.ts).
truncate search_words, search_spellings;
