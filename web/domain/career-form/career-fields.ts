import type { CareerDocument, PositionInput } from '#contract/careers.ts';
import { type Activity, helpKinds, type WorkField } from '#contract/career-values.ts';
import type { Fields } from '#web/platform/form.ts';

/** Names of the inputs are the JSON pointers of the values, so that errors of the server find their field. */
export const positionField = (row: number, name: keyof PositionInput): string => `positions/${row}/${name}`;

const invalidYear = -1;

function toYear(text = ''): number | null {
  if (text.trim() === '') return null;
  return /^\d{4}$/u.test(text.trim()) ? Number(text) : invalidYear;
}

export function readPosition(fields: Fields, row: number): PositionInput | null {
  const read = (name: keyof PositionInput) => fields[positionField(row, name)]?.trim() ?? '';
  if (['role', 'employer', 'field', 'from', 'to'].every((name) => read(name as keyof PositionInput) === ''))
    return null;
  return {
    role: read('role'),
    employer: read('employer'),
    field: (read('field') || null) as WorkField | null,
    from: toYear(read('from')),
    to: toYear(read('to')),
  };
}

export function readCareer(fields: Fields): Omit<CareerDocument, 'positions' | 'version' | 'visibility'> {
  const { activity, inField, city = '', cityId = '', country = '' } = fields;
  return {
    city: city.trim(),
    cityId: cityId === '' ? null : Number(cityId),
    country,
    helps: helpKinds.filter((help) => fields[`helps/${help}`] !== undefined),
    ...(activity !== undefined && {
      tracer:
        activity === ''
          ? null
          : { activity: activity as Activity, inField: inField === undefined ? null : inField === 'yes' },
    }),
  };
}
