import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type * as z from 'zod/mini';
import { canonicalizeEmail } from '#contract/fields.ts';
import { toForm } from '#contract/profile.ts';
import { type Blocks, type IncomingPerson, NotImportable } from '#server/domain/incoming-person.ts';
import { type Command, Failure } from '../support/command.ts';
import { AccountLine, BlockLine, PhotoLine, ProfileLine, UnfinishedLine } from '../export-format/formats.ts';
import { type Line, linesIn, readAgain, readLine } from '../export-format/lines.ts';
import { type ImportRecord, importHelp, importOptions, importPeople, unreadable } from '../support/import-people.ts';

export const importAll: Command = {
  name: 'import',
  summary: 'Puts the people of an export into this archive.',
  takes: ['DIR'],
  options: {
    update: { type: 'boolean', summary: 'overwrites the profiles of people who have an account here' },
    ...importOptions,
  },
  help: [
    'DIR is a folder that "export" has written, or another program in the same form (its README.txt explains it). accounts.jsonl has to be there; the other files need not.',
    'People are known by their address. Whoever has an account here is left alone, with --update their profile, picture and photos are taken from DIR, never how they sign in. Nobody gets a mail.',
    ...importHelp,
  ],
  run: async (input, tools) => {
    const {
      args: [target = ''],
      flags,
    } = input;
    const folder = resolve(target);
    const accounts = join(folder, 'accounts.jsonl');
    if (!(await stat(accounts).catch(() => null)))
      throw new Failure(`There is no accounts.jsonl in ${folder}. Name a folder that "export" has written.`);
    const rules = { existing: flags.has('update') ? 'update' : 'keep' } as const;
    return importPeople(input, tools, rules, () => readExport(folder), await countLines(accounts));
  },
};

async function* readExport(folder: string): AsyncGenerator<ImportRecord> {
  const problems: ImportRecord[] = [];
  const open = <Schema extends z.ZodMiniType<{ email: string }>>(name: string, schema: Schema) =>
    indexOf(folder, name, schema, problems);
  const profiles = await open('profiles.jsonl', ProfileLine);
  const unfinished = await open('unfinished.jsonl', UnfinishedLine);
  const photos = await open('photos.jsonl', PhotoLine);
  const blocks = await readBlocks(folder, problems);
  yield* problems;
  for await (const line of linesIn(join(folder, 'accounts.jsonl'))) {
    const where = `accounts.jsonl, line ${line.number}`;
    const read = readLine(AccountLine, line.text);
    if ('problem' in read) {
      yield unreadable(where, read.problem);
      continue;
    }
    const email = canonicalizeEmail(read.value.email);
    yield {
      where,
      read: async () =>
        gather(folder, read.value, {
          profiles: await profiles.take(email),
          unfinished: await unfinished.take(email),
          photos: await photos.take(email),
          blocks: blocks.get(email),
        }),
    };
  }
  for (const index of [profiles, unfinished, photos]) yield* index.left();
}

/** Finds the lines about each address in a file, which may be larger than memory. @param problems where to note bad lines */
async function indexOf<Schema extends z.ZodMiniType<{ email: string }>>(
  folder: string,
  name: string,
  schema: Schema,
  problems: ImportRecord[],
) {
  const path = join(folder, name);
  const places = new Map<string, Omit<Line, 'text'>[]>();
  for await (const { text, ...place } of linesIn(path)) {
    const read = readLine(schema, text);
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
    /** The lines about an address, which are done with then. */
    take: async (email: string): Promise<z.output<Schema>[]> => {
      const values: z.output<Schema>[] = [];
      for (const place of places.get(email) ?? []) {
        const read = readLine(schema, await readAgain(path, place));
        if ('value' in read) values.push(read.value);
      }
      places.delete(email);
      return values;
    },
    /** An error for each line that was not taken. */
    left: (): ImportRecord[] =>
      [...places.values()]
        .flat()
        .map(({ number }) =>
          unreadable(`${name}, line ${number}`, 'There is no line with this address in accounts.jsonl.'),
        ),
  };
}

/** Returns the blocks by the address of each of the two people. This file is small enough to be in memory. */
async function readBlocks(folder: string, problems: ImportRecord[]): Promise<ReadonlyMap<string, Blocks>> {
  const name = 'blocks.jsonl';
  const blocks = new Map<string, { blocked: string[]; blockedBy: string[] }>();
  const blocksOf = (email: string) => {
    const known = blocks.get(email) ?? { blocked: [], blockedBy: [] };
    blocks.set(email, known);
    return known;
  };
  for await (const { text, number } of linesIn(join(folder, name))) {
    const read = readLine(BlockLine, text);
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

interface TheirLines {
  readonly profiles: readonly z.output<typeof ProfileLine>[];
  readonly unfinished: readonly z.output<typeof UnfinishedLine>[];
  readonly photos: readonly z.output<typeof PhotoLine>[];
  readonly blocks: Blocks | undefined;
}

/** Returns one person with everything that the folder has of them. @throws NotImportable */
async function gather(
  folder: string,
  { passwordHash = null, termsVersion, termsAcceptedAt = null, ...account }: AccountLine,
  { profiles, unfinished: unfinishedProfiles, photos, blocks }: TheirLines,
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

/** Only from the folder's own pictures: a line could name any file of this machine. */
async function readPicture(folder: string, path: string): Promise<Buffer> {
  if (!/^pictures\/[\w-][\w.-]*$/u.test(path)) throw new NotImportable(`"${path}" is no file in pictures/.`);
  return readFile(join(folder, path)).catch(() => {
    throw new NotImportable(`${path} is missing.`);
  });
}

async function countLines(path: string): Promise<number> {
  let count = 0;
  for await (const _ of linesIn(path)) count++;
  return count;
}
