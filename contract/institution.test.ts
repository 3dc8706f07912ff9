import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Institution } from './institution.ts';

const file = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
const parse = (departmentAbbreviations: object) => Institution.safeParse({ ...file, departmentAbbreviations });

test('Institution › accepts abbreviations of its departments only', () => {
  expect(parse({ 'Computer Science': ['CSC', 'CMP'] }).success).toBe(true);
  expect(parse({ 'Computer Sciences': ['CSC'] }).error?.issues).toMatchObject([
    { path: ['departmentAbbreviations'], message: 'Use the names of departments under "colleges" as keys' },
  ]);
});
