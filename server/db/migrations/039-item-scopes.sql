-- The scope of an item of the review queue is fixed when it opens, so that no one chooses who decides: the class of the roster entry, else of
-- the profile. A college is that of the profile if the department is the same, else as the entry names it.
alter table claims add column college text, add column department text, add column year_graduated smallint;
alter table disputes add column college text, add column department text, add column year_graduated smallint;
alter table reports add column college text, add column department text, add column year_graduated smallint;
-- The columns of a change with these names are the wanted values.
alter table identity_changes add column scope_college text, add column scope_department text, add column scope_year smallint;

create function item_scope_of(account uuid, entry bigint, out college text, out department text, out year_graduated smallint)
language sql stable as $$
  select case when e.department is null or p.department = e.department then p.college else e.college end,
    coalesce(e.department, p.department), case when e.department is null then p.year_graduated else e.year_graduated end
  from (select 1) as one left join profiles p on p.account_id = account
    left join roster_entries e on e.id = coalesce(entry, (select entry_id from roster_links where account_id = account))
$$;

create function fix_item_scope() returns trigger language plpgsql as $$
declare
  entry bigint;
  scope record;
begin
  if tg_table_name = 'claims' then
    select id into entry from roster_entries where matric_key <> '' and matric_key = matric_key(new.typed ->> 'matricNumber');
    scope := item_scope_of(new.account_id, entry);
  elsif tg_table_name = 'disputes' then
    scope := item_scope_of(new.holder_id, new.entry_id);
  elsif tg_table_name = 'reports' then
    scope := item_scope_of(new.subject_id, null);
  else
    scope := item_scope_of(new.account_id, null);
    new.scope_college := scope.college;
    new.scope_department := scope.department;
    new.scope_year := scope.year_graduated;
    return new;
  end if;
  new.college := scope.college;
  new.department := scope.department;
  new.year_graduated := scope.year_graduated;
  return new;
end $$;
create trigger claims_scope before insert on claims for each row execute function fix_item_scope();
create trigger disputes_scope before insert on disputes for each row execute function fix_item_scope();
create trigger reports_scope before insert on reports for each row execute function fix_item_scope();
create trigger identity_changes_scope before insert on identity_changes for each row execute function fix_item_scope();

-- A report stays when the account is deleted, without the class of the person.
create function forget_report_scope() returns trigger language plpgsql as $$
begin
  new.college := null;
  new.department := null;
  new.year_graduated := null;
  return new;
end $$;
create trigger reports_forget_scope before update of subject_id on reports for each row
  when (new.subject_id is null) execute function forget_report_scope();

update claims c set (college, department, year_graduated) = (select (s).college, (s).department, (s).year_graduated from (
  select item_scope_of(c.account_id, (select id from roster_entries
    where matric_key <> '' and matric_key = matric_key(c.typed ->> 'matricNumber'))) as s) as of);
update disputes d set (college, department, year_graduated) = (select (s).college, (s).department, (s).year_graduated from (
  select item_scope_of(d.holder_id, d.entry_id) as s) as of);
update reports r set (college, department, year_graduated) = (select (s).college, (s).department, (s).year_graduated from (
  select item_scope_of(r.subject_id, null) as s) as of) where subject_id is not null;
