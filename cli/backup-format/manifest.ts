import * as z from 'zod/mini';

/**
 * Version of the file format. This version and every earlier one can be read. Version 1 also contained derived tables.
 */
export const backupFormat = 2;

/**
 * Maximum bytes of a chunk of a table. Chunks are buffered in memory, because tar headers contain the length of the
 * entry.
 */
export const pieceBytes = 4 * 1024 * 1024;

const count = z.int().check(z.minimum(0));

export const Manifest = z.object({
  format: z.number(),
  version: z.string().check(z.regex(/^[\w.+-]{1,64}$/u)),
  madeAt: z.iso.datetime(),
  migrations: z.array(z.string()).check(z.minLength(1)),
  /** Tables in an order in which each follows the tables that its foreign keys refer to. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: count })),
  jobs: count,
  pictures: count,
});
export type Manifest = z.infer<typeof Manifest>;

/** Checksum, the last entry of a backup. A file without a checksum is truncated. */
export const End = z.object({
  entries: z.number(),
  /** Hexadecimal SHA-256 of one line per earlier entry: SHA-256 of its content, two spaces, its name, newline. */
  digest: z.string(),
});

export type End = z.infer<typeof End>;

export const jobColumns = [
  'identifier',
  'queue_name',
  'payload',
  'run_at',
  'max_attempts',
  'key',
  'priority',
  'attempts',
] as const;

export const journalFile = 'deletions.jsonl';

export const keyFiles = ['second-factor.key', 'token-key.json', 'installation.key', journalFile] as const;

/**
 * Allowed entry names, which limit the files that a restore can write. `postgres-password` and `socket-folder` are
 * excluded, because they belong to the database server of one installation.
 */
export const entryNames = {
  table: /^tables\/(?<table>[a-z_][a-z0-9_]*)\/\d{6}\.copy$/u,
  jobs: /^jobs\/\d{6}\.copy$/u,
  media: /^media\/(?<picture>[\w-]+)\/(?<file>\d{1,5}\.webp)$/u,
  key: /^keys\/(?<path>second-factor\.key|token-key\.json|installation\.key|deletions\.jsonl|secrets\/(?!postgres-password|socket-folder)[\w-]+(?:\.[\w-]+)*)$/u,
} as const;
