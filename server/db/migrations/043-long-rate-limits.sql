-- Counters of rate limits of a day and longer. Logged and in backups, so that a crash or a restore gives no new attempts. Shorter limits
-- stay in the unlogged table `throttles`.
create table long_throttles (
  key text primary key,
  hits integer not null,
  window_ends timestamptz not null,
  -- Limits how long a window lasts that began while the clock was wrong.
  window_seconds integer not null
);
