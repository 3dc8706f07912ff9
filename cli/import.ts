import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type * as z from 'zod/mini';
import { canonicalEmail } from '#contract/fields.ts';
import {
  type Blocks,
  type Imported,
  type Newcomer,
  NotImportable,
  importPerson,
} from '#server/domain/import-person.ts';
import { openArchive } from '#server/open-archive.ts';
import { recordAct } from '#server/platform/audit.ts';
import { readJournal } from '#server/platform/deletion-journal.ts';
import { type Command, Failure } from './command.ts';
import { AccountLine, BlockLine, PhotoLine, ProfileLine, UnfinishedLine } from './exchange/formats.ts';
import { afterDeletion, bringBack, includeDeleted, leftOut } from './exchange/deleted-people.ts';
import { type Line, linesIn, openLines, readLine } from './exchange/lines.ts';
import { openOperatorLog } from './operator-log.ts';

export const importAll: Command = {
  name: 'import',
  summary: 'Puts the people of an export into this archive.',
  takes: ['DIR'],
  options: {
    update: { type: 'boolean', summary: 'overwrites the profiles of people who have an account here' },
    ...includeDeleted,
    'dry-run': { type: 'boolean', summary: 'checks every line and says what would happen, and changes nothing' },
  },
  help: [
    'DIR is a folder that "export" has written, or another program in the same form (its README.txt explains it). accounts.jsonl has to be there; the other files need not.',
    'People are known by their address. Whoever has an account here is left alone, with --update their profile, picture and photos are taken from DIR, never how they sign in. A line that breaks a rule is named with its reason, and the others are imported: mend it and import again.',
    afterDeletion,
    'Nobody gets a mail.',
  ],
  run: async ({ args: [target = ''], flags }, { environment, say, note, progress }) => {
    const folder = resolve(target);
    const accounts = join(folder, 'accounts.jsonl');
    if (!(await stat(accounts).catch(() => null)))
      throw new Failure(`There is no accounts.jsonl in ${folder}. Name a folder that "export" has written.`);
    const archive = await openArchive(environment, { begins: true });
    const { dataDir } = archive.config;
    const journal = await readJournal(dataDir);
    const deletions = flags.has('include-deleted') ? null : journal;
    const options = { update: flags.has('update'), dryRun: flags.has('dry-run'), deletions };
    const bad = (file: string, line: number, why: string) => {
      problems++;
      say(`${file}, line ${line}: ${why}`);
    };
    let problems = 0;
    const counts: Record<Imported, number> = { created: 0, updated: 0, skipped: 0, deleted: 0 };
    const closings: (() => Promise<void>)[] = [];
    try {
      if (!options.dryRun) recordAct(openOperatorLog(dataDir), 'people imported by the operator');
      const profiles = await indexOf(join(folder, 'profiles.jsonl'), ProfileLine, (line, why) =>
        bad('profiles.jsonl', line, why),
      );
      const unfinished = await indexOf(join(folder, 'unfinished.jsonl'), UnfinishedLine, (line, why) =>
        bad('unfinished.jsonl', line, why),
      );
      const photos = await indexOf(join(folder, 'photos.jsonl'), PhotoLine, (line, why) =>
        bad('photos.jsonl', line, why),
      );
      closings.push(profiles.close, unfinished.close, photos.close);
      const blocks = await readBlocks(join(folder, 'blocks.jsonl'), (line, why) => bad('blocks.jsonl', line, why));
      const bar = progress(options.dryRun ? 'Checking' : 'Importing', await countLines(accounts));
      const seen = new Set<string>();
      try {
        for await (const line of linesIn(accounts)) {
          bar.add();
          const read = readLine(AccountLine, line.text);
          if ('problem' in read) {
            bad('accounts.jsonl', line.number, read.problem);
            continue;
          }
          const email = canonicalEmail(read.value.email);
          try {
            if (seen.has(email)) throw new NotImportable('This address stands on an earlier line as well.');
            seen.add(email);
            const newcomer = await gather(folder, read.value, {
              profiles: await profiles.take(email),
              unfinished: await unfinished.take(email),
              photos: await photos.take(email),
              blocks: blocks.get(email),
            });
            const imported = await importPerson(archive.context, newcomer, options);
            counts[imported]++;
            if (imported === 'created' && !options.dryRun)
              await bringBack(dataDir, journal, { accountId: newcomer.account.id, email });
          } catch (error) {
            if (!(error instanceof NotImportable)) throw error;
            bad('accounts.jsonl', line.number, error.message);
          }
        }
      } finally {
        bar.end();
      }
      for (const [name, index] of [
        ['profiles.jsonl', profiles],
        ['unfinished.jsonl', unfinished],
        ['photos.jsonl', photos],
      ] as const)
        for (const line of index.left()) bad(name, line, 'There is no line with this address in accounts.jsonl.');
    } finally {
      for (const close of closings) await close();
      await archive.close();
    }
    if (counts.deleted > 0) say(leftOut(counts.deleted));
    const would = options.dryRun ? 'Would be ' : '';
    say(
      `${would}created: ${counts.created}, ${would.toLowerCase()}updated: ${counts.updated}, left alone: ${counts.skipped}, bad lines: ${problems}.`,
    );
    if (options.dryRun) note('Nothing was changed.');
    return problems > 0 ? 1 : 0;
  },
};

/** Where somebody's lines are in a file, so that nobody has to have all of it in memory. */
async function indexOf<Schema extends z.ZodMiniType<{ email: string }>>(
  path: string,
  schema: Schema,
  bad: (line: number, why: string) => void,
) {
  const places = new Map<string, Omit<Line, 'text'>[]>();
  for await (const { text, ...place } of linesIn(path)) {
    const read = readLine(schema, text);
    if ('problem' in read) {
      bad(place.number, read.problem);
      continue;
    }
    const email = canonicalEmail(read.value.email);
    const known = places.get(email);
    if (known) known.push(place);
    else places.set(email, [place]);
  }
  const file = await openLines(path);
  return {
    /** The lines about an address, which are done with then. */
    take: async (email: string): Promise<z.output<Schema>[]> => {
      const values: z.output<Schema>[] = [];
      for (const place of places.get(email) ?? []) {
        const read = readLine(schema, await file.read(place));
        if ('value' in read) values.push(read.value);
      }
      places.delete(email);
      return values;
    },
    /** The numbers of lines that nobody has asked for. */
    left: (): number[] => [...places.values()].flatMap((lines) => lines.map(({ number }) => number)),
    close: () => file.close(),
  };
}

/** Who does not want to hear from whom, by the address of each of the two. Of this file all of it is in memory: it has nothing else. */
async function readBlocks(
  path: string,
  bad: (line: number, why: string) => void,
): Promise<ReadonlyMap<string, Blocks>> {
  const blocks = new Map<string, { blocked: string[]; blockedBy: string[] }>();
  const blocksOf = (email: string) => {
    const known = blocks.get(email) ?? { blocked: [], blockedBy: [] };
    blocks.set(email, known);
    return known;
  };
  for await (const { text, number } of linesIn(path)) {
    const read = readLine(BlockLine, text);
    if ('problem' in read) {
      bad(number, read.problem);
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

/** One person with everything that the folder has of them. @throws NotImportable */
async function gather(
  folder: string,
  account: AccountLine,
  { profiles, unfinished: begun, photos, blocks }: TheirLines,
): Promise<Newcomer> {
  const [[profile], [unfinished]] = [profiles, begun];
  if (profiles.length > 1) throw new NotImportable('profiles.jsonl has more than one line with this address.');
  if (begun.length > 1) throw new NotImportable('unfinished.jsonl has more than one line with this address.');
  const {
    id,
    email,
    emailVerified,
    passwordHash,
    createdAt,
    termsVersion,
    termsAcceptedAt,
    takesMessages,
    mutedKinds,
    disabledAt,
    lastSeenAt,
    hiddenUntilSignIn,
  } = account;
  return {
    account: {
      email,
      emailVerified,
      passwordHash: passwordHash ?? null,
      ...(id !== undefined && { id }),
      ...(createdAt && { createdAt }),
      ...(takesMessages !== undefined && { takesMessages }),
      ...(mutedKinds && { mutedKinds }),
      ...(disabledAt && { disabledAt }),
      ...(lastSeenAt && { lastSeenAt }),
      ...(hiddenUntilSignIn && { hiddenUntilSignIn }),
      terms: termsVersion ? { version: termsVersion, acceptedAt: termsAcceptedAt ?? null } : null,
    },
    profile: profile
      ? {
          document: profile.profile,
          picture: profile.profile.imgURL ? await readPicture(folder, profile.profile.imgURL) : null,
          ...(profile.visibility && { visibility: profile.visibility }),
          ...(profile.isHidden !== undefined && { isHidden: profile.isHidden }),
          ...(profile.isIndexed !== undefined && { isIndexed: profile.isIndexed }),
          ...(profile.createdAt && { createdAt: profile.createdAt }),
        }
      : null,
    unfinished: unfinished
      ? {
          fields: unfinished.fields,
          picture: unfinished.picture ? await readPicture(folder, unfinished.picture) : null,
        }
      : null,
    photos: await Promise.all(
      photos.map(async ({ picture, place, takenOn, ...photo }) => ({
        ...photo,
        place: place ?? null,
        takenOn: takenOn ?? null,
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
