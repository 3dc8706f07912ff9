import * as z from 'zod/mini';

/** Version of the file format. The product reads this version and every earlier one. Version 1 held derived tables too. */
export const backupFormat = 2;

/** Bytes of one piece of a table: a tar has to know beforehand how long an entry is, so pieces are gathered in memory. */
export const pieceBytes = 4 * 1024 * 1024;

const count = z.int().check(z.minimum(0));

/** The first entry of a backup: what is in it. */
export const Manifest = z.object({
  format: z.number(),
  /** The version of the product that made it. */
  version: z.string().check(z.regex(/^[\w.+-]{1,64}$/u)),
  madeAt: z.iso.datetime(),
  /** The migrations that its tables have gone through, in their order. */
  migrations: z.array(z.string()).check(z.minLength(1)),
  /** In an order in which no row comes before one that it refers to. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: count })),
  jobs: count,
  pictures: count,
});
export type Manifest = z.infer<typeof Manifest>;

/** The last entry: without it the file was cut off. */
export const End = z.object({
  entries: z.number(),
  /** SHA-256, in hexadecimal, of a line `SHA-256 of the content, two blanks, name` for each entry before this one. */
  digest: z.string(),
});

export type End = z.infer<typeof End>;

/** The jobs that wait, as columns of `jobs/*.copy`. */
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

/** Keys in the data folder itself, and the journal of deletions. Further keys are in its folder `secrets`. */
export const keyFiles = ['second-factor.key', 'token-key.json', 'installation.key', 'deletions.jsonl'] as const;

/**
 * What an entry may be called, and so which files a restore writes at all. `postgres-password` and `socket-folder` belong to one
 * database server: each installation makes its own.
 */
export const entryNames = {
  table: /^tables\/(?<table>[a-z_][a-z0-9_]*)\/\d{6}\.copy$/u,
  jobs: /^jobs\/\d{6}\.copy$/u,
  media: /^media\/(?<picture>[\w-]+)\/(?<file>\d{1,5}\.webp)$/u,
  key: /^keys\/(?<path>second-factor\.key|token-key\.json|installation\.key|deletions\.jsonl|secrets\/(?!postgres-password|socket-folder)[\w-]+(?:\.[\w-]+)*)$/u,
} as const;
