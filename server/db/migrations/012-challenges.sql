-- A new challenge takes the place of the one before it, which is looked for by what both are bound to.
create index challenges_bound on challenges (bound_to);
