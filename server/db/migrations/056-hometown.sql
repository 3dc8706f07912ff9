alter table profiles add column hometown text not null default '';
