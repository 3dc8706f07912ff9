import { formatCount } from '#contract/counts.ts';
import type { RosterImport } from '#contract/roster.ts';
import type { ImportState, ImportStep } from '#contract/roster-values.ts';

export const encodingNames: Record<string, string> = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252 (Western Europe)',
  'utf-16le': 'UTF-16, little endian',
  'utf-16be': 'UTF-16, big endian',
};

export const delimiterNames: Record<string, string> = {
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Vertical bar',
};

export const kindNames: Record<NonNullable<RosterImport['file']>['kind'], string> = {
  csv: 'CSV',
  xlsx: 'Excel',
  oneroster: 'OneRoster',
};

export const stateNames: Record<ImportState, string> = {
  uploaded: 'Open',
  checked: 'Open',
  applied: 'Applied',
  undone: 'Undone',
  cancelled: 'Discarded',
};

export const stepTexts: Record<ImportStep, string> = {
  detect: 'Reading the file',
  check: 'Comparing the file with the roster',
  apply: 'Changing the roster',
  undo: 'Undoing the import',
};

export const isOpen = ({ state }: Pick<RosterImport, 'state'>): boolean => state === 'uploaded' || state === 'checked';

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export function formatCounts({ counts, undoCounts, state }: RosterImport): string {
  if (state === 'undone' && undoCounts)
    return `${formatCount(undoCounts.takenBack)} reverted, ${formatCount(undoCounts.kept)} kept`;
  if (!counts) return '';
  return `${formatCount(counts.new)} new, ${formatCount(counts.changed)} changed, ${formatCount(counts.missing)} missing`;
}
