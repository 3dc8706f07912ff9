-- A new challenge replaces the previous one of the same session, pending sign-in or browser.
create index challenges_bound on challenges (bound_to);
