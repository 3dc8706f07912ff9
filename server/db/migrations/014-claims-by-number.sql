-- Finds the pending claims that name the matric number of a roster entry.
create index claims_matric_key on claims (matric_key(typed ->> 'matricNumber')) where state = 'waiting';
