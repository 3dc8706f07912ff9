-- What is wrong with the rows of an import stays for a week. A new check finds that of the open import again.
delete from roster_row_errors;
-- Without a foreign key: a restore empties the imports, and has no such rows.
alter table roster_row_errors add import_id integer not null;
create index roster_row_errors_import on roster_row_errors (import_id);

-- Applied imports that this one builds on: they cannot be undone before it.
alter table roster_imports add depends_on integer[] not null default '{}';
-- Whether roster_changes still has the values before the import.
alter table roster_imports add can_undo boolean not null default false;
update roster_imports set can_undo = true
where id = (select id from roster_imports where state in ('applied', 'undone') order by applied_at desc limit 1);
