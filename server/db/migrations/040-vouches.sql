-- A member asks for vouches only with a personal link, and a vouch counts only for what the voucher saw.
drop table vouch_requests;
delete from notifications where kind = 'vouch-asked';
delete from throttles where key like 'vouchRequestsByAccount:%';

alter table vouches
  -- What the voucher saw: firstName, lastName, department and yearGraduated. Null: answered before this was recorded.
  add column seen jsonb,
  -- Time at which the vouch stopped to count: the claimant became another person in the profile, or withdrew. Stays for staff.
  add column ended_at timestamptz;

-- An earlier change has deleted each "yes" that was not about the current profile.
update vouches as v
set seen = jsonb_build_object('firstName', p.first_name, 'lastName', p.last_name, 'department', p.department,
  'yearGraduated', p.year_graduated)
from profiles p join accounts a on a.id = p.account_id
where p.account_id = v.claimant_id and a.membership_status <> 'confirmed' and v.answer = 'yes';
