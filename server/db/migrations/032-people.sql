-- People in the staff console: search over all accounts, looks behind hidden details, and exports.

-- The words of a text for the search of staff, folded like `searchWords` (server/domain/folding.ts) as far as names need it, and cut to 64
-- characters like there: `array_to_tsvector` would damage longer ones.
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

-- The words of each profile's names, also of people who are in no list. Stored, because folding takes long: a search reads thousands of rows.
create table person_words (
  account_id uuid primary key references profiles on delete cascade,
  -- Includes former names unless only the person sees them.
  words tsvector not null
);
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
insert into person_words select account_id, words_of_profile(profiles) from profiles;
create index person_words_words on person_words using gin (words) with (fastupdate = off);

-- Newest accounts first.
create index accounts_created on accounts (created_at, id);
create index accounts_email_prefix on accounts (email text_pattern_ops);
create index accounts_unverified on accounts (created_at, id) where not email_verified;
create index accounts_without_profile on accounts (created_at, id) where display_name is null;
create index accounts_by_status on accounts (membership_status, created_at, id);
create index profiles_matric_prefix on profiles (matric_key(matric_number) text_pattern_ops);
create index profiles_class on profiles (department, year_graduated);
create index profiles_year on profiles (year_graduated);
create index profiles_hidden on profiles (account_id) where is_hidden;
create index accounts_hidden_by_staff on accounts (id) where profile_hidden_at is not null;

-- Looks of staff at details that a person hides. The person reads them in the settings and in their data.
create table staff_looks (
  id uuid primary key default gen_random_uuid(),
  account_id uuid not null references accounts on delete cascade,
  -- Who looked. Null: their account was deleted.
  staff_id uuid references accounts on delete set null,
  -- A code of contract/staff-people.ts.
  reason text not null,
  -- What staff wrote for the reason `other`. The person reads it.
  text text not null default '',
  looked_at timestamptz not null default now(),
  -- Until when the details are shown to this member of staff.
  until timestamptz not null
);
create index staff_looks_account on staff_looks (account_id, looked_at);
create index staff_looks_staff on staff_looks (staff_id) where staff_id is not null;

-- Exports of people as CSV. The file is in the data folder while the state is `ready`.
create table people_exports (
  id uuid primary key default gen_random_uuid(),
  -- Who requested it, and may download it. Null: their account was deleted.
  account_id uuid references accounts on delete set null,
  -- Emptied when the file is made, because it can contain a name.
  filter jsonb not null,
  columns text[] not null,
  -- Number of people when it was requested, then in the file.
  people integer not null,
  -- Null: it needed no approval.
  approval_id uuid references approvals on delete set null,
  state text not null check (state in ('waiting', 'making', 'ready', 'failed', 'expired')),
  -- Why it failed, as text for staff.
  failure text not null default '',
  requested_at timestamptz not null default now(),
  made_at timestamptz,
  -- When the file is deleted.
  expires_at timestamptz
);
create index people_exports_account on people_exports (account_id, requested_at);
create index people_exports_approval on people_exports (approval_id) where approval_id is not null;
create index people_exports_ready on people_exports (expires_at) where state = 'ready';

-- In how many exports a person was, for their data.
create table export_counts (
  account_id uuid primary key references accounts on delete cascade,
  exports integer not null,
  last_at timestamptz not null
);
