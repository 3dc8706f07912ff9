-- Codes are stored as HMACs from this version on, so unused codes under plain digests no longer work. Print the sheets again.
delete from membership_codes where kind in ('printed', 'mailed') and used_at is null;
