import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Institution } from '#contract/institution.ts';
import { suggestDepartment } from './suggest-department.ts';

const { colleges } = Institution.parse(JSON.parse(readFileSync('institution.json', 'utf8')));
const departments = [...colleges.flatMap((college) => college.departments), 'Electrical and Electronics Engineering'];

test.for([
  ['CSC', 'Computer Science'],
  ['C.S.', 'Computer Science'],
  ['Comp. Sci.', 'Computer Science'],
  ['Dept. of Comp Science', 'Computer Science'],
  ['MATHS', 'Mathematics'],
  ['MTH', 'Mathematics'],
  ['PHY', 'Physics'],
  ['Geo', 'Geography and Environmental Management'],
  ['GEM', 'Geography and Environmental Management'],
  ['EEE', 'Electrical and Electronics Engineering'],
  ['Educ. Mgt', 'Educational Management'],
  ['Lib & Info Sci', 'Library and Information Science'],
  ['LIS', 'Library and Information Science'],
  ['Élect/Elect Eng', 'Electrical and Electronics Engineering'],
] as const)('suggestDepartment › recognizes %s', ([text, department]) => {
  expect(suggestDepartment(text, departments)).toBe(department);
});

test.for(['C', 'CO', 'CRS', 'Law', 'XYZ', '', '&', '2019', '東'])(
  'suggestDepartment › suggests nothing for “%s”',
  (text) => {
    expect(suggestDepartment(text, departments)).toBeUndefined();
  },
);
