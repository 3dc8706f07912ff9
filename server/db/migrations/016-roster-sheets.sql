-- How an open import of a workbook was read had one sheet. Staff upload the file again.
update roster_imports set state = 'cancelled', detected = null, step = null
where state in ('uploaded', 'checked') and detected ->> 'kind' = 'xlsx';
