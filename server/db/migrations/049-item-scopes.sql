-- The server sets the scope of an item when it opens, and looks up the college of its department in institution.json when staff read it.
drop trigger claims_scope on claims;
drop trigger disputes_scope on disputes;
drop trigger reports_scope on reports;
drop trigger identity_changes_scope on identity_changes;
drop function fix_item_scope;
drop function item_scope_of;

-- The class of the entry when a correction was proposed, beside `college`. The columns with other names are proposed values.
alter table corrections add column scope_department text, add column scope_year smallint;
update corrections c set (scope_department, scope_year) = (select department, year_graduated from roster_entries where id = c.entry_id);
