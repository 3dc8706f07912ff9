import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type * as z from 'zod/mini';
import { canonicalizeEmail } from '#contract/fields.ts';
import { toForm } from '#contract/profile.ts';
import { importedCareerColumns } from '#server/domain/careers/incoming-career.ts';
import { type Blocks, type IncomingPerson, NotImportable } from '#server/domain/people/incoming-person.ts';
import { type Command, Failure } from '../support/command.ts';
import { readPeopleFile, toImportRecord } from '../export-format/people-file.ts';
import { AccountLine, BlockLine, PhotoLine, ProfileLine, IncompleteLine } from '../export-format/formats.ts';
import { type Line, readLines, rereadLine, parseLine } from '../export-format/lines.ts';
import { type ImportRecord, importHelp, importOptions, importPeople, unreadable } from '../support/import-people.ts';

export const importAll: Command = {
  name: 'import',
  summary: 'Import people from a folder that "export" wrote, or from a CSV file.',
  requiredArguments: ['DIR|FILE.csv'],
  options: {
    update: { type: 'boolean', summary: 'overwrite the profiles of people who already have an account' },
    ...importOptions,
  },
  description: [
    'DIR is a folder that "export" wrote, or that another program wrote in the same format. The README.txt of an export explains the format. accounts.jsonl is required; the other files are optional.',
    `FILE.csv has one person per row, with the columns of the people.csv of an export. Only email is required. ${importedCareerColumns.join(', ')} describe work and place; common synonyms of all headings are recognized. A new person gets a hidden, incomplete profile, which the owner completes. If a person already has a profile, work and place are added only where they are empty and the person has not saved the career form. No one else sees them until the owner confirms them.`,
    'People are matched by their email address. People who already have an account are not changed. With --update, their profile, picture and photos are replaced, but not their sign-in data. No emails are sent.',
    ...importHelp,
  ],
  examples: [
    '/exports/2026-01-31 --dry-run',
    '/exports/2026-01-31',
    '/exports/2026-01-31 --update',
    'graduates.csv --dry-run',
  ],
  run: async (input, tools) => {
    const {
      args: [target = ''],
      flags,
    } = input;
    const folder = resolve(target);
    if (/\.csv$/iu.test(folder)) {
      if (flags.has('update')) throw new Failure('--update is only for a folder. A CSV file overwrites nothing.');
      const { rows, ignored } = await readPeopleFile(folder);
      if (ignored.length > 0) tools.printStatus(`Not imported: the columns ${ignored.join(', ')}.`);
      return importPeople(
        input,
        tools,
        { existing: 'complete' },
        async function* ({ context: { institution } }) {
          for (const row of rows) yield toImportRecord(basename(folder), row, institution);
        },
        rows.length,
      );
    }
    const accounts = join(folder, 'accounts.jsonl');
    if (!(await stat(accounts).catch(() => null)))
      throw new Failure(`There is no accounts.jsonl in ${folder}. Name a folder that "export" wrote.`);
    const rules = { existing: flags.has('update') ? 'update' : 'keep' } as const;
    return importPeople(input, tools, rules, () => readExport(folder), await countLines(accounts));
  },
};

async function* readExport(folder: string): AsyncGenerator<ImportRecord> {
  const problems: ImportRecord[] = [];
  const open = <Schema extends z.ZodMiniType<{ email: string }>>(name: string, schema: Schema) =>
    indexLines(folder, name, schema, problems);
  const profiles = await open('profiles.jsonl', ProfileLine);
  const unfinished = await open('unfinished.jsonl', IncompleteLine);
  const photos = await open('photos.jsonl', PhotoLine);
  const blocks = await readBlocks(folder, problems);
  yield* problems;
  for await (const line of readLines(join(folder, 'accounts.jsonl'))) {
    const where = `accounts.jsonl, line ${line.number}`;
    const read = parseLine(AccountLine, line.text);
    if ('problem' in read) {
      yield unreadable(where, read.problem);
      continue;
    }
    const email = canonicalizeEmail(read.value.email);
    yield {
      where,
      read: async () =>
        combineLines(folder, read.value, {
          profiles: await profiles.take(email),
          unfinished: await unfinished.take(email),
          photos: await photos.take(email),
          blocks: blocks.get(email),
        }),
    };
  }
  for (const index of [profiles, unfinished, photos]) yield* index.remaining();
}

/**
 * Indexes the lines of a file by email address. The file may be larger than memory.
 * @param problems receives invalid lines
 */
async function indexLines<Schema extends z.ZodMiniType<{ email: string }>>(
  folder: string,
  name: string,
  schema: Schema,
  problems: ImportRecord[],
) {
  const path = join(folder, name);
  const places = new Map<string, Omit<Line, 'text'>[]>();
  for await (const { text, ...place } of readLines(path)) {
    const read = parseLine(schema, text);
    if ('problem' in read) {
      problems.push(unreadable(`${name}, line ${place.number}`, read.problem));
      continue;
    }
    const email = canonicalizeEmail(read.value.email);
    const known = places.get(email);
    if (known) known.push(place);
    else places.set(email, [place]);
  }
  return {
    take: async (email: string): Promise<z.output<Schema>[]> => {
      const values: z.output<Schema>[] = [];
      for (const place of places.get(email) ?? []) {
        const read = parseLine(schema, await rereadLine(path, place));
        if ('value' in read) values.push(read.value);
      }
      places.delete(email);
      return values;
    },
    remaining: (): ImportRecord[] =>
      [...places.values()]
        .flat()
        .map(({ number }) =>
          unreadable(`${name}, line ${number}`, 'There is no line with this address in accounts.jsonl.'),
        ),
  };
}

/** Returns the blocks, indexed by the addresses of both people. This file fits into memory. */
async function readBlocks(folder: string, problems: ImportRecord[]): Promise<ReadonlyMap<string, Blocks>> {
  const name = 'blocks.jsonl';
  const blocks = new Map<string, { blocked: string[]; blockedBy: string[] }>();
  const blocksOf = (email: string) => {
    const known = blocks.get(email) ?? { blocked: [], blockedBy: [] };
    blocks.set(email, known);
    return known;
  };
  for await (const { text, number } of readLines(join(folder, name))) {
    const read = parseLine(BlockLine, text);
    if ('problem' in read) {
      problems.push(unreadable(`${name}, line ${number}`, read.problem));
      continue;
    }
    const { email, blocked } = read.value;
    blocksOf(email).blocked.push(blocked);
    blocksOf(blocked).blockedBy.push(email);
  }
  return blocks;
}

interface PersonLines {
  readonly profiles: readonly z.output<typeof ProfileLine>[];
  readonly unfinished: readonly z.output<typeof IncompleteLine>[];
  readonly photos: readonly z.output<typeof PhotoLine>[];
  readonly blocks: Blocks | undefined;
}

async function combineLines(
  folder: string,
  { passwordHash = null, termsVersion, termsAcceptedAt = null, ...account }: AccountLine,
  { profiles, unfinished: unfinishedProfiles, photos, blocks }: PersonLines,
): Promise<IncomingPerson> {
  const [[profile], [unfinished]] = [profiles, unfinishedProfiles];
  if (profiles.length > 1) throw new NotImportable('profiles.jsonl has more than one line with this address.');
  if (unfinishedProfiles.length > 1)
    throw new NotImportable('unfinished.jsonl has more than one line with this address.');
  const readIfAny = async (path: string | null | undefined) => (path ? readPicture(folder, path) : null);
  return {
    account: {
      ...account,
      passwordHash,
      terms: termsVersion ? { version: termsVersion, acceptedAt: termsAcceptedAt } : null,
    },
    profile: profile
      ? { ...profile, fields: toForm(profile.profile), picture: await readIfAny(profile.profile.imgURL) }
      : unfinished
        ? { fields: unfinished.fields, isIncomplete: true, picture: await readIfAny(unfinished.picture) }
        : null,
    photos: await Promise.all(
      photos.map(async ({ picture, place = null, takenOn = null, ...photo }) => ({
        ...photo,
        place,
        takenOn,
        image: await readPicture(folder, picture),
      })),
    ),
    ...(blocks && { blocks }),
  };
}

/** Reads a picture. Accepts only paths in `pictures/`, so that a line cannot read other files of this machine. */
async function readPicture(folder: string, path: string): Promise<Buffer> {
  if (!/^pictures\/[\w-][\w.-]*$/u.test(path)) throw new NotImportable(`"${path}" is not a file in pictures/.`);
  return readFile(join(folder, path)).catch(() => {
    throw new NotImportable(`${path} is missing.`);
  });
}

async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const _ of readLines(path)) count++;
  return count;
}
