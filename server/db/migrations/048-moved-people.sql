-- A dispute without another account: null if the mailbox of the entry reported its holder, else what made the entry another person.
alter table disputes add column entry_change text check (entry_change in ('import', 'undo', 'correction'));
update disputes set entry_change = 'import', text = ''
where claimant_id is null and text = 'An import changed the name or the birth date of the entry.';
