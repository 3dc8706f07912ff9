-- A report of an earlier checkout has "all" where all years are 0 now. It is made again within a minute.
delete from tracer_snapshots;
