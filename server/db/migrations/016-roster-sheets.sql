-- The stored settings of an open import of a workbook name no sheet, so it ends. Staff upload the file again.
update roster_imports set state = 'cancelled', detected = null, step = null
where state in ('uploaded', 'checked') and detected ->> 'kind' = 'xlsx';
