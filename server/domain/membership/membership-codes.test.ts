import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMembershipCodes, groupMembershipCode } from './membership-codes.ts';

let dataDir: string;
let other: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'membership-codes-'));
  other = await mkdtemp(join(tmpdir(), 'membership-codes-'));
});
afterEach(async () => {
  for (const folder of [dataDir, other]) await rm(folder, { recursive: true, force: true });
});

test('hash accepts a code as people type it', async () => {
  const codes = createMembershipCodes(dataDir);
  const { code, hash } = await codes.create();
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{12}$/u);
  expect(groupMembershipCode(code)).toBe(`${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8)}`);
  for (const typed of [
    code,
    code.toLowerCase(),
    groupMembershipCode(code),
    ` ${code.slice(0, 5)} – ${code.slice(5)}\n`,
  ])
    expect(await codes.hash(typed)).toEqual(hash);
  for (const typed of ['o12345678900', '0l2345678900', '0i2345678900'])
    expect(await codes.hash(typed)).toEqual(await codes.hash('012345678900'));
});

test('hash returns null for other texts', async () => {
  const codes = createMembershipCodes(dataDir);
  for (const typed of ['', '01234567890', '0123456789000', 'U12345678900', '012345678900!', '-'])
    expect(await codes.hash(typed)).toBeNull();
});

test('hash depends on the key in the data folder and on the account', async () => {
  const { code, hash } = await createMembershipCodes(dataDir).create();
  expect(await createMembershipCodes(dataDir).hash(code)).toEqual(hash);
  expect(await createMembershipCodes(dataDir).hash(code, 'an account')).not.toEqual(hash);
  expect(await createMembershipCodes(other).hash(code)).not.toEqual(hash);
  expect(createHash('sha256').update(code).digest()).not.toEqual(hash);
});
