import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readInstitution } from '../read-institution.ts';

function readWith(acceptedEvidence: readonly string[] | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'institution-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'institution.json');
  const content = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...content, acceptedEvidence }));
  return readInstitution(file);
}

test('an institution accepts printed codes, roster email and staff review unless it says otherwise', () => {
  expect(readWith(undefined).acceptedEvidence).toEqual(['printed-code', 'roster-email', 'staff-review']);
  expect(readWith(['staff-review', 'peer-vouch']).acceptedEvidence).toEqual(['staff-review', 'peer-vouch']);
});

test('a file that still accepts a knowledge match is refused, with what to do', () => {
  expect(() => readWith(['printed-code', 'knowledge-match'])).toThrow(/acceptedEvidence.*Remove "knowledge-match"/su);
});
