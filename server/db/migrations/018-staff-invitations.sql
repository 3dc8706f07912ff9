-- Roles for addresses without a verified account. The role is given when an account has verified exactly this address.
create table staff_invitations (
  id uuid primary key default gen_random_uuid(),
  -- In canonical form, like that of an account.
  email text not null,
  role text not null check (role in ('owner', 'registrar', 'moderator', 'class-representative')),
  college text,
  department text,
  year_from smallint,
  year_to smallint,
  last_day date,
  invited_by uuid not null references accounts on delete cascade,
  invited_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create unique index staff_invitations_once on staff_invitations (
  email, role, coalesce(college, ''), coalesce(department, ''), coalesce(year_from, 0), coalesce(year_to, 0)
);
create index staff_invitations_invited_by on staff_invitations (invited_by);
