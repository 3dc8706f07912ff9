-- The server sets the scope of an item when it opens, and looks up the college of its department in institution.json when staff read it.
drop trigger claims_scope on claims;
drop trigger disputes_scope on disputes;
drop trigger reports_scope on reports;
drop trigger identity_changes_scope on identity_changes;
drop function fix_item_scope;
drop function item_scope_of;
