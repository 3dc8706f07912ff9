import type { CareerDocument, PositionInput } from '#contract/careers.ts';
import { type Activity, helpKinds, type WorkField } from '#contract/career-values.ts';
import type { Fields } from '#web/platform/form.ts';

/** Names of the inputs are the JSON pointers of the values, so that errors of the server find their field. */
export const positionField = (row: number, name: keyof PositionInput): string => `positions/${row}/${name}`;

/** Returns -1, which the server refuses, for a text that is not a year. */
const toYear = (text: string): number | null => (text === '' ? null : /^\d{4}$/u.test(text) ? Number(text) : -1);

/** Returns null for a row without an answer. */
export function readPosition(fields: Fields, row: number): PositionInput | null {
  const names = ['role', 'employer', 'field', 'from', 'to'] as const;
  const [role = '', employer = '', field = '', from = '', to = ''] = names.map((name) =>
    (fields[positionField(row, name)] ?? '').trim(),
  );
  if (role + employer + field + from + to === '') return null;
  return { role, employer, field: (field || null) as WorkField | null, from: toYear(from), to: toYear(to) };
}

export function readCareer(fields: Fields): Omit<CareerDocument, 'positions' | 'version' | 'visibility'> {
  const { activity, inField, city = '', cityId = '', country = '' } = fields;
  const answer = { activity: activity as Activity, inField: inField === undefined ? null : inField === 'yes' };
  return {
    city: city.trim(),
    cityId: cityId === '' ? null : Number(cityId),
    country,
    helps: helpKinds.filter((help) => fields[`helps/${help}`] !== undefined),
    ...(activity !== undefined && { tracer: activity === '' ? null : answer }),
  };
}
