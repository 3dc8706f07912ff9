-- What is wrong with the rows of an import stays after it, for a week. That of the last import is found by a new check.
delete from roster_row_errors;
alter table roster_row_errors add import_id integer not null references roster_imports on delete cascade;
create index roster_row_errors_import on roster_row_errors (import_id);
