import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCsvRow } from '#server/platform/storage/csv.ts';

export function writeMeasurements(
  name: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const file = join(import.meta.dirname, '../docs/measurements', `${name}.csv`);
  writeFileSync(file, [headings, ...rows].map(formatCsvRow).join('').replaceAll('\r\n', '\n'));
}
