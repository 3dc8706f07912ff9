import { fieldLengths } from '#contract/field-lengths.ts';
import { line } from '#contract/fields.ts';
import { remember } from '../remember.ts';
import type { RosterField } from './roster-row.ts';

type CellResult = { readonly text: string } | { readonly reason: string };

const Line = line(fieldLengths.lineMax);

/**
 * Placeholders for a missing value. In names only those without letters count, because there are people called Null and
 * None.
 */
const placeholder =
  /^(?:[-–—.?*_/]+|n\/?a|nil|none|null|nan|unknown|not available|not applicable|not stated|tba|tbd)$/iu;
const namePlaceholder = /^(?:[-–—.?*_/]+|n\/a)$/iu;
const nameFields = new Set<RosterField>(['lastName', 'firstName', 'fullName']);

const formulaErrors = /^#(?:REF!|N\/A|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|RESULT!)$/u;

/**
 * Cleans a cell as the archive cleans typed text. Placeholders such as `N/A` become empty.
 * @param raw as in the file
 */
export function cleanCell(raw: string, field: RosterField): CellResult {
  if (raw === '') return { text: '' };
  const result = cleanLine(raw);
  if ('reason' in result) return result;
  // Excel writes ="0123" to keep leading zeros.
  const text = /^="([^"]*)"$/u.exec(result.text)?.[1] ?? result.text;
  if (formulaErrors.test(text))
    return {
      reason:
        text === '#RESULT!'
          ? 'The formula of this cell has no stored result. Open the file in Excel, save it, and upload it again.'
          : `The formula of this cell failed (${text}).`,
    };
  if ((nameFields.has(field) ? namePlaceholder : placeholder).test(text)) return { text: '' };
  return { text };
}

function cleanLine(raw: string): CellResult {
  // Nine of ten cells need no cleaning.
  if (raw.length <= fieldLengths.lineMax && /^[!-~]+(?: [!-~]+)*$/u.test(raw)) return { text: raw };
  return cleanOther(raw);
}

const cleanOther = remember((raw: string): CellResult => {
  if (raw.includes('\uFFFD'))
    return { reason: 'This cell has characters that do not fit the encoding. Choose another encoding for the file.' };
  if (raw.trim() === '') return { text: '' };
  const cleaned = Line.safeParse(raw);
  if (cleaned.success) return { text: cleaned.data };
  return raw.length > fieldLengths.lineMax
    ? { reason: `The text has ${raw.length} characters. The maximum is ${fieldLengths.lineMax}.` }
    : { text: '' };
});

export const isScientific = (text: string): boolean => /^-?\d(?:[.,]\d+)?E\+\d+$/iu.test(text);
