import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRandom, type Random } from '#server/seed/random.ts';
import { dateCell, toOneRoster, toWorkbookParts, toZip } from '#server/domain/roster/file/testing.ts';
import { readRosterFile } from '#server/domain/roster/file/read-roster-file.ts';
import { readRosterRows } from '#server/domain/roster/file/read-roster-rows.ts';
import { RosterFileError } from '#server/domain/roster/file/roster-file.ts';

/** Set ROSTER_MUTATIONS to try more. */
const mutations = Number(process.env['ROSTER_MUTATIONS'] ?? 300);

const csv = [
  'List of graduates,,,,,,',
  'MATRIC NO,NAMES,SEX,D.O.B,DEPARTMENT,YEAR OF GRADUATION,EMAIL,STATUS',
  'CSC/15/0012,"ADEYEMI, Olu",F,13/02/1997,Physics,2018/2019,olu@example.com,Graduated',
  'CSC/15/0013,"OKAFOR, Chidi ""CJ""",M,02/03/1998,Computer Science,2019,,student',
  'CSC/15/0014,"Bọ́lá, Sade",F,35000,Physics,2019,sade@example.com,left',
].join('\r\n');

const sheetRows = [
  ['List of graduates'],
  ['Matric No', 'Surname', 'Department', 'Birth date'],
  [74_095_673, 'Adeyemi', 'Physics', dateCell(36_250)],
  ['A/2', 'Okafor', null, 36_251],
];
const workbook = toWorkbookParts({ sheets: [{ name: 'Sheet1', merged: ['C3:C4'], rows: sheetRows }] });

const users =
  'sourcedId,status,role,givenName,familyName\r\nu1,,student,Olu,Adeyemi\r\nu2,tobedeleted,student,Ada,Bello\r\n';

function mutateBytes(original: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(original);
  for (let left = random.integer(1, 8); left > 0; left--) {
    const at = random.integer(0, bytes.length);
    const to = Math.min(bytes.length, at + random.integer(0, 40));
    const byte = random.pick([0, 0x0d, 0x0a, 0x22, 0x2c, 0x3b, 0x3c, 0x7f, 0x80, 0xff, random.integer(0, 255)]);
    const noise = Buffer.alloc(random.integer(1, 8), byte);
    const part = random.pick([
      noise,
      Buffer.alloc(0),
      bytes.subarray(at, to),
      Buffer.from('"'),
      Buffer.from('9'.repeat(20)),
    ]);
    bytes = random.chance(0.05)
      ? bytes.subarray(0, at)
      : Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(random.pick([at, to, at + part.length]))]);
  }
  return bytes;
}

/** Mutates the XML of a workbook before it is packed, so that the zip stays valid. */
function mutateWorkbook(random: Random): Buffer {
  const path = random.pick(Object.keys(workbook));
  const text = mutateBytes(Buffer.from(workbook[path] ?? ''), random).toString('latin1');
  return toZip({ ...workbook, [path]: text });
}

const recipes: readonly ((random: Random) => Buffer)[] = [
  (random) => mutateBytes(Buffer.from(csv), random),
  (random) => mutateBytes(Buffer.from(csv, 'utf16le'), random),
  (random) => mutateBytes(Buffer.from(csv.replaceAll(',', '\t'), 'latin1'), random),
  (random) => mutateBytes(toZip(workbook), random),
  mutateWorkbook,
  (random) => mutateBytes(toOneRoster({ 'users.csv': users }), random),
  (random) => toOneRoster({ 'users.csv': mutateBytes(Buffer.from(users), random).toString('latin1') }),
];

async function readOrRefuse(path: string): Promise<boolean> {
  try {
    const file = await readRosterFile(path, { departments: ['Physics'] });
    for await (const { rows, errors } of readRosterRows(path, file.settings)) {
      for (const { line } of [...rows, ...errors]) expect(line).toBeGreaterThan(file.settings.headerLine);
      for (const { reason } of errors) expect(reason).toMatch(/\.$/u);
      for (const row of rows) {
        expect(row.matricKey).not.toBe('');
        expect(row.lastName ?? row.firstName).toBeTruthy();
        expect(row.birthDate ?? '1997-02-13').toMatch(/^(?:19|20)\d{2}-\d{2}-\d{2}$/u);
        expect(JSON.stringify(row)).not.toContain(String.raw`\u0000`);
      }
    }
    return true;
  } catch (error) {
    if (!(error instanceof RosterFileError)) throw error;
    expect(error.message).toMatch(/\.$/u);
    return false;
  }
}

test(
  'reading a mutated roster file › gives rows or a RosterFileError, never another error',
  { tags: ['release'] },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'archive-mutations-'));
    const path = join(folder, 'roster');
    let read = 0;
    try {
      for (let seed = 1; seed <= mutations; seed++) {
        const random = createRandom(seed);
        await writeFile(path, random.pick(recipes)(random));
        const wasRead = await readOrRefuse(path).catch((error: unknown) => {
          throw new Error(`The file of seed ${seed} failed`, { cause: error });
        });
        if (wasRead) read++;
      }
    } finally {
      await rm(folder, { recursive: true });
    }
    // Both outcomes must occur, or the mutations are too weak or too strong.
    expect(read).toBeGreaterThan(mutations / 10);
    expect(read).toBeLessThan((mutations * 9) / 10);
  },
);
