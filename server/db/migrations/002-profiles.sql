-- Profiles as their owners wrote them, and the words of their names for the search of staff.

create table profiles (
  account_id uuid primary key references accounts on delete cascade,
  first_name text not null,
  middle_name text not null,
  last_name text not null,
  -- Former names and nicknames as entered; '' for none.
  other_names text not null default '',
  title text not null,
  dob date not null,
  gender text not null,
  home_address text not null,
  contact_number text not null,
  matric_number text not null,
  college text not null,
  department text not null,
  program text not null,
  year_admitted smallint not null,
  year_graduated smallint not null,
  interest text not null,
  bio text not null,
  full_bio text not null,
  x_handle text not null,
  facebook_name text not null,
  linkedin_name text not null,
  -- Name of the stored picture; null shows the initials.
  picture text,
  -- The owner's choices, field → audience. A field without a choice has the default of contract/visibility.ts.
  visibility jsonb not null default '{}',
  -- Hides a profile everywhere and keeps the other visibility choices for later.
  is_hidden boolean not null default false,
  -- Whether search engines may index the profile, if the institution allows it.
  is_indexed boolean not null default false,
  -- Whether the person is younger than `adultAge` of institution.json: visible to members at most. A job updates it at
  -- each start and every night (server/features/profile/update-minors.ts).
  is_minor boolean not null default false,
  -- Number of saves of a profile (optimistic locking). A write contains the version that it is based on, so a stale
  -- page cannot overwrite newer values.
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The form in which matric numbers are compared, as `toMatricKey` returns it.
create function matric_key(matric_number text) returns text language sql immutable parallel safe
  return regexp_replace(upper(normalize(matric_number, NFKC)), '[^[:alnum:]]', '', 'g');

-- Finds whether another profile uses a picture that is being replaced.
create index profiles_picture on profiles (picture);
create index profiles_matric_prefix on profiles (matric_key(matric_number) text_pattern_ops);
create index profiles_class on profiles (department, year_graduated);
create index profiles_year on profiles (year_graduated);
create index profiles_hidden on profiles (account_id) where is_hidden;

-- Imported profiles that do not meet the current rules. Only the owner sees them, in the onboarding. Saving the profile
-- deletes the row.
create table unfinished_profiles (
  account_id uuid primary key references accounts on delete cascade,
  -- Imported values by form field (contract/profile.ts), unchanged.
  fields jsonb not null,
  picture text
);
create index unfinished_profiles_picture on unfinished_profiles (picture);

-- The words of a text for the search of staff, folded like `searchWords` (server/domain/search/folding.ts) as far as
-- names need it, and cut to 64 characters like there: `array_to_tsvector` would damage longer ones.
create function people_words(names text) returns tsvector language sql immutable parallel safe
  return array_to_tsvector(array(select left(word, 64) from unnest(string_to_array(
    regexp_replace(
      regexp_replace(
        translate(
          replace(replace(replace(replace(
            lower(translate(normalize(names, NFKD), 'ØøĐđÐðŁłıƁɓƊɗƘƙŊŋƆɔƐɛÆŒÞ', 'ooddddllibbddkknnooeeæœþ')),
            'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
          '''’‘ʼʻ`´.', ''),
        '[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'),
      '[\s!-/:-@[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000]+', ' ', 'g'),
    ' ')) as word where word <> ''));

-- The words of each profile's names, also of people who are in no list. Stored, because folding takes long: a search
-- reads thousands of rows.
create table person_words (
  account_id uuid primary key references profiles on delete cascade,
  -- Includes former names unless only the person sees them.
  words tsvector not null
);
create index person_words_words on person_words using gin (words) with (fastupdate = off);

create function words_of_profile(profile profiles) returns tsvector language sql immutable
  return people_words(profile.first_name || ' ' || profile.middle_name || ' ' || profile.last_name
    || case when profile.visibility ->> 'otherNames' = 'me' then '' else ' ' || profile.other_names end);
create function remember_person_words() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (old.first_name, old.middle_name, old.last_name, old.other_names, old.visibility)
    is distinct from (new.first_name, new.middle_name, new.last_name, new.other_names, new.visibility)
  then
    insert into person_words values (new.account_id, words_of_profile(new))
    on conflict (account_id) do update set words = excluded.words;
  end if;
  return null;
end $$;
create trigger remember_person_words after insert or update on profiles for each row execute function remember_person_words();
