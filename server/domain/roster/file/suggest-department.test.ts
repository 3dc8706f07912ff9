import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Institution } from '#contract/institution.ts';
import { suggestDepartment } from './suggest-department.ts';

const { colleges } = Institution.parse(JSON.parse(readFileSync('institution.json', 'utf8')));
const departments = [...colleges.flatMap((college) => college.departments), 'Electrical and Electronics Engineering'];
const manyDepartments = `
  Accounting, Actuarial Science, Banking and Finance, Biochemistry, Biology, Business Education,
  Business Administration and Management, Chemical Engineering, Chemistry, Civil Engineering,
  Computer Engineering, Computer Science, Crop Science, Economics, Educational Management,
  Electrical and Electronics Engineering, English Studies, Estate Management, Geography,
  Guidance and Counselling, Human Kinetics, Law, Mass Communication, Mathematics, Mechanical Engineering,
  Mechatronics Engineering, Physics, Physiology, Political Science, Public Health, Statistics,
  Urban and Regional Planning`
  .trim()
  .split(/,\s+/u);

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
  ['CRS', 'Religious Studies'],
  ['Élect/Elect Eng', 'Electrical and Electronics Engineering'],
] as const)('suggestDepartment › recognizes %s', ([text, department]) => {
  expect(suggestDepartment(text, departments)).toBe(department);
});

// Rules alone find no department for these, or another one.
test.for([
  ['CSC', 'Computer Science'],
  ['Computing', 'Computer Science'],
  ['Mathematical Sciences', 'Mathematics'],
  ['Accts', 'Accounting'],
  ['ACCOUNTANCY', 'Accounting'],
  ['EE', 'Electrical and Electronics Engineering'],
  ['Mech. Engr.', 'Mechanical Engineering'],
  ['Biz Admin', 'Business Administration and Management'],
  ['B.A.', 'Business Administration and Management'],
  ['Phy', 'Physics'],
  ['Chem.', 'Chemistry'],
  ['CHE', 'Chemical Engineering'],
  ['Bio', 'Biology'],
  ['Econs', 'Economics'],
  ['Govt', 'Political Science'],
  ['P.H.E.', 'Human Kinetics'],
  ['LL.B', 'Law'],
  ['Town Planning', 'Urban and Regional Planning'],
] as const)('suggestDepartment › recognizes %s among many departments', ([text, department]) => {
  expect(suggestDepartment(text, manyDepartments)).toBe(department);
});

test('suggestDepartment › prefers the department of an alias that has exactly its name', () => {
  expect(suggestDepartment('CSC', ['Computer Science and Informatics', 'Computer Science'])).toBe('Computer Science');
  expect(
    suggestDepartment('CSC', ['Computer Science and Informatics', 'Computer Science with Economics']),
  ).toBeUndefined();
});

test.for(['C', 'CO', 'XYZ', '', '&', '2019', '東'])('suggestDepartment › suggests nothing for “%s”', (text) => {
  expect(suggestDepartment(text, departments)).toBeUndefined();
});
