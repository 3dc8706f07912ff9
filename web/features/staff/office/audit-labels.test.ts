import { expect, test } from 'vitest';
import { formatDetail } from './audit-labels.ts';

test.each([
  ['isImpostor', 'false', null],
  ['isImpostor', 'true', 'Marked as an impostor'],
  ['department', '', null],
  ['department', 'computer-science', 'Department: computer science'],
  ['leftOut', '12', 'Left out: 12'],
  ['batch', '7', 'Batch: 7'],
  ['as', '01900000-0000-7000-8000-000000000001', 'Reopened as: 01900000'],
])('formatDetail writes %s %s in words', (name, value, text) => {
  expect(formatDetail({ name, value })).toBe(text);
});
