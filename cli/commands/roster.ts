import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { ImportCounts, ImportWarning } from '#contract/roster.ts';
import { type YearRange, erasableFields, fieldNames } from '#contract/roster-values.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { type RosterFile, type RosterSettings, encodings } from '#server/domain/roster/file/roster-file.ts';
import { type RosterField, rosterFields } from '#server/domain/roster/file/roster-row.ts';
import { formatLine } from '#server/domain/roster/file/sheets.ts';
import type { ImportOptions } from '#server/domain/roster/import/import-options.ts';
import {
  applyImport,
  checkRows,
  detectFile,
  requireImportLock,
  requireUndoable,
  undoImport,
} from '#server/domain/roster/import/import-steps.ts';
import { findRowErrors, insertImport, saveChecked, saveDetected } from '#server/domain/roster/import/roster-imports.ts';
import { type Command, Failure, type Input, type Tools, confirmChange } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import { openOperatorLog } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

const dryRunOption = { type: 'boolean', summary: 'print the planned change, without making it' } as const;
const yesOption = { type: 'boolean', summary: 'make the change' } as const;

const printedErrors = 10;

const dryRun = new Error('Dry run');

export const rosterImport: Command = {
  name: 'roster import',
  summary: 'Import the registrar’s list of students and graduates: CSV, XLSX or OneRoster.',
  requiredArguments: ['FILE'],
  options: {
    mapping: {
      type: 'string',
      valueName: 'FILE',
      summary: 'JSON file with the field of each column, e.g. {"Matric No": "matricNumber"}',
    },
    encoding: { type: 'string', valueName: 'NAME', summary: `encoding of a CSV file: ${encodings.join(', ')}` },
    sheet: { type: 'string', valueName: 'NAMES', summary: 'sheets of an XLSX file, separated by /' },
    dates: { type: 'string', valueName: 'ORDER', summary: 'order of dates such as 3/4/1999: dmy or mdy' },
    erase: {
      type: 'string',
      valueName: 'FIELDS',
      summary: 'fields whose blank cells erase the stored value, separated by commas',
    },
    partial: {
      type: 'boolean',
      summary: 'the file has only some of the people, e.g. one year: no entry is marked as missing',
    },
    years: {
      type: 'string',
      valueName: 'YEARS',
      summary: 'years of graduation that the file covers, e.g. 2012-2022: only their entries can be missing',
    },
    'yes-to': { type: 'string', valueName: 'WARNINGS', summary: 'warnings that you have checked, separated by commas' },
    yes: yesOption,
    'dry-run': dryRunOption,
  },
  description: [
    'Without --yes, the command compares the file with the roster and prints the result: how it reads the file, the number of new, changed, unchanged and missing entries, warnings, and the first rows that it cannot read.',
    'A blank cell keeps the stored value. Entries that are not in the file are kept and marked as missing. If the import fails, nothing is changed.',
    `Fields: ${rosterFields.join(', ')}. The mapping is remembered for the next file with the same headers.`,
    'See docs/roster.md.',
  ],
  examples: ['roster.xlsx', 'roster.csv --encoding windows-1252 --yes', 'roster.csv --yes --yes-to many-changed'],
  run: async (input, tools) => {
    const path = resolve(input.args[0] ?? '');
    const { size } = await stat(path).catch((error: unknown) => {
      throw describeFileError(error, `Cannot read ${path}`);
    });
    if (size === 0) throw new Failure(`${path} is empty.`);
    const options = await readOptions(input);
    const digest = await digestFile(path);
    return withArchive(tools.environment, async ({ context, config: { dataDir } }) => {
      try {
        return await context.inBulkTransaction(async (tx, client) => {
          await requireImportLock(tx);
          const id = await insertImport(tx, { fileName: basename(path), digest, options, accountId: null });
          const file = await detectFile(tx, path, options, context.institution);
          for (const line of describeFile(file)) tools.print(line);
          await saveDetected(tx, id, file);
          const checked = await withProgress(tools, 'Comparing', file.rowCount, (onProgress) =>
            checkRows(tx, client, { importId: id, path, file, options, onProgress }),
          );
          await saveChecked(tx, id, checked);
          for (const line of describeCounts(checked.counts)) tools.print(line);
          for (const line of describeWarnings(checked.warnings)) tools.print(line);
          const errors = await findRowErrors(tx, id, printedErrors);
          for (const { line, column, value, reason } of errors)
            tools.print(
              `Row ${formatLine(line, file.settings.sheets)}${column === null ? '' : `, ${column}`}: ${reason} (“${value}”)`,
            );
          if (!(await confirmChange(input, tools, true, () => 'This is how the roster would be changed.')))
            throw dryRun;
          requireConfirmed(checked.warnings, input);
          const log = openOperatorLog(dataDir);
          await withProgress(tools, 'Importing', file.rowCount, (onProgress) => applyImport(tx, id, null, onProgress));
          recordAuditEvent(log, 'roster imported by the operator');
          tools.print('The roster was changed. To undo this, run "roster undo".');
          return 0;
        });
      } catch (error) {
        if (error === dryRun) return 0;
        throw error;
      }
    });
  },
};

export const rosterUndo: Command = {
  name: 'roster undo',
  summary: 'Undo the last applied import.',
  options: { yes: yesOption, 'dry-run': dryRunOption },
  description: [
    'New entries are deleted, changed ones get their earlier values, and missing ones are unmarked. Entries that a person has claimed, or staff have corrected, since the import are kept.',
  ],
  examples: ['--dry-run', '--yes'],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context, config: { dataDir } }) => {
      const last = await requireUndoable(context.db);
      const plan = () =>
        [`Import ${last.id} of ${last.fileName} would be undone:`, ...describeCounts(last.counts)].join('\n');
      if (!(await confirmChange(input, tools, true, plan))) return;
      const log = openOperatorLog(dataDir);
      const { takenBack, kept, failed } = await context.inBulkTransaction(async (tx) => {
        await requireImportLock(tx);
        return undoImport(tx, last.id, null);
      });
      recordAuditEvent(log, 'roster import undone by the operator');
      tools.print(
        `Reverted: ${takenBack}. Kept, because claimed or corrected since the import: ${kept}. Not restored, because the person has objected: ${failed}.`,
      );
    }),
};

async function readOptions({ values, flags }: Input): Promise<ImportOptions> {
  const settings: { -readonly [Key in keyof RosterSettings]?: RosterSettings[Key] } = {};
  const { mapping, encoding, sheet, dates, erase, years } = values;
  if (mapping !== undefined) settings.mapping = await readMapping(mapping);
  if (encoding !== undefined) settings.encoding = requireOneOf('--encoding', encoding, encodings);
  if (sheet !== undefined) settings.sheets = sheet.split('/');
  if (dates !== undefined) settings.dateOrder = requireOneOf('--dates', dates, ['dmy', 'mdy'] as const);
  return {
    settings,
    erase: splitList(erase).map((field) => requireOneOf('--erase', field, erasableFields)),
    isPartial: flags.has('partial'),
    ...(years !== undefined && { years: readYears(years) }),
  };
}

function readYears(text: string): YearRange {
  const [, from, to] = /^(\d{4})-(\d{4})$/u.exec(text) ?? [];
  if (from === undefined || to === undefined) throw new Failure(`--years: "${text}" must be like 2012-2022.`);
  return { from: Number(from), to: Number(to) };
}

const splitList = (text = ''): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function requireOneOf<Value extends string>(option: string, text: string, values: readonly Value[]): Value {
  const value = values.find((one) => one === text);
  if (value === undefined) throw new Failure(`${option}: "${text}" is not one of ${values.join(', ')}.`);
  return value;
}

async function readMapping(path: string): Promise<Record<string, RosterField | null>> {
  const text = await readFile(resolve(path), 'utf8').catch((error: unknown) => {
    throw describeFileError(error, `Cannot read ${path}`);
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Failure(`${path} is not valid JSON.`, { cause: error });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new Failure(`${path} must contain an object, e.g. {"Matric No": "matricNumber"}.`);
  return Object.fromEntries(
    Object.entries(json).map(([column, field]) => [
      column,
      field === null ? null : requireOneOf(`${path}, ${column}`, String(field), rosterFields),
    ]),
  );
}

async function digestFile(path: string): Promise<Buffer> {
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest();
}

async function withProgress<Result>(
  { progress }: Tools,
  label: string,
  total: number,
  work: (onProgress: (share: number) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  using bar = progress(label, total);
  let shown = 0;
  return work(async (share) => {
    const done = Math.floor(share * total);
    bar.add(done - shown);
    shown = done;
    return Promise.resolve();
  });
}

function describeFile({ kind, settings, rowCount, columns, nameSamples, unknownDepartments }: RosterFile): string[] {
  const { encoding, sheets, headerLine, mapping } = settings;
  return [
    `Format    ${[kind, encoding, sheets.length > 0 && `sheet ${sheets.join(', ')}`, `header in row ${headerLine}`].filter(Boolean).join(', ')}`,
    `Rows      ${rowCount}`,
    ...(nameSamples.length > 0 ? [`Names     ${nameSamples.join('; ')}`] : []),
    'Columns',
    ...columns.map(({ key, fillRate, samples, isLeftOut }) => {
      const field = isLeftOut ? 'never stored' : (mapping[key] ?? 'not imported');
      return `  ${key} → ${field}  ${Math.round(fillRate * 100)} % filled${samples.length > 0 ? `, e.g. ${samples.join(' | ')}` : ''}`;
    }),
    ...(unknownDepartments.length > 0
      ? [`Unknown departments, imported as they are: ${unknownDepartments.map(describeUnknown).join(', ')}`]
      : []),
  ];
}

const describeUnknown = ({ name, rows, suggestion }: RosterFile['unknownDepartments'][number]): string =>
  `${name} (${rows}${suggestion === undefined ? '' : `, perhaps ${suggestion}`})`;

const describeCounts = (counts: ImportCounts): string[] => [
  `New       ${counts.new}`,
  `Changed   ${counts.changed}`,
  `Unchanged ${counts.unchanged}`,
  `Missing   ${counts.missing}`,
  ...(counts.fields?.length
    ? [`Changed values: ${counts.fields.map(({ field, count }) => `${fieldNames[field]} ${count}`).join(', ')}`]
    : []),
  ...(counts.unreadable > 0 ? [`Unreadable rows, not imported: ${counts.unreadable}`] : []),
  ...(counts.repeated ? [`Identical rows, counted once: ${counts.repeated}`] : []),
  ...(counts.duplicates > 0 ? [`Duplicate rows, not imported: ${counts.duplicates}`] : []),
  ...(counts.suppressed > 0 ? [`Not imported, because the person has objected: ${counts.suppressed}`] : []),
];

const describeWarnings = (warnings: readonly ImportWarning[]): string[] =>
  warnings.map(({ kind, message }) => `Warning ${kind}: ${message}`);

function requireConfirmed(warnings: readonly ImportWarning[], { values }: Input): void {
  const confirmed = new Set(splitList(values['yes-to']));
  const open = warnings.map(({ kind }) => kind).filter((kind) => !confirmed.has(kind));
  if (open.length > 0)
    throw new Failure(
      `Nothing was changed. Check the warnings above. To import anyway, add --yes-to ${open.join(',')}.`,
    );
}
