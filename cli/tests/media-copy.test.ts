import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { type FakeS3, startFakeS3 } from '#server/testing/fake-s3.ts';
import { createInstallation } from '../backup-format/testing.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
let fake: FakeS3;
let url: string;
let folder: string;
let members: Member[];
/** Settings of the archive on disk, and after its pictures were copied. */
let onDisk: NodeJS.ProcessEnv;
let inStore: NodeJS.ProcessEnv;
beforeAll(async () => {
  fake = await startFakeS3();
  url = `s3://pictures/archive?endpoint=${fake.origin}`;
  folder = mkdtempSync(join(tmpdir(), 'media-copy-'));
  archive = await openArchive(inject('databases'));
  members = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
  for (const { device } of members)
    await device.call('POST /api/gallery/photos', {
      body: { album: 'Convocation', title: 'Caps', audience: 'members', image: await smallPicture('#335577') },
    });
  onDisk = { ...createSettings(archive), ...fake.environment };
  inStore = { ...onDisk, MEDIA_URL: url };
});
afterAll(async () => {
  await archive.close();
  await fake.close();
  rmSync(folder, { recursive: true });
});

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

const hashFolder = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path)
      .filter((name) => !name.startsWith('.'))
      .flatMap((name) =>
        readdirSync(join(path, name)).map((file) => [`${name}/${file}`, sha256(readFileSync(join(path, name, file)))]),
      ),
  );
const hashObjects = (): Record<string, string> =>
  Object.fromEntries(
    [...fake.objects]
      .map(([key, { content }]) => [key.slice('archive/'.length), sha256(content)] as const)
      .filter(([key]) => !key.startsWith('.')),
  );
const media = () => join(archive.context.config.dataDir, 'media');

describe('media copy', () => {
  test('copies every used picture and the deletion journal to an object store, and says what to do next', async () => {
    const [leaver] = members.splice(0, 1);
    await leaver?.device.call('DELETE /api/identity/account');
    const image = Buffer.from((await smallPicture()).split(',')[1] ?? '', 'base64');
    const unused = await archive.context.media.storePortrait(image);
    expect(await runCommand(onDisk, 'media', 'copy', '--to', url)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        '4 of 4 pictures were copied to s3://pictures/archive. The others were already there.',
        `Now set MEDIA_URL='${url}' on every machine and restart. Then copy what was uploaded meanwhile: npm run archive -- media copy --from '${media()}'`,
      ].join('\n'),
    });
    await archive.context.media.moveToTrash(unused);
    expect(hashObjects()).toEqual(hashFolder(media()));
    expect(Object.keys(hashObjects())).toHaveLength(10);
    expect([...fake.objects.keys()].filter((key) => key.startsWith('archive/.deletions/'))).toHaveLength(1);
  });

  test('copies what is new, and repairs a damaged copy', async () => {
    members.push(await archive.createMember());
    const key = [...fake.objects.keys()].find((name) => name.endsWith('/384.webp')) ?? '';
    fake.objects.set(key, { content: Buffer.from('short'), type: '', writtenAt: new Date() });
    expect((await runCommand(inStore, 'media', 'copy', '--from', media())).stdout).toBe(
      '2 of 5 pictures were copied to s3://pictures/archive. The others were already there.',
    );
    expect(hashObjects()).toEqual(hashFolder(media()));
  });

  test('copies back to a folder', async () => {
    const target = join(folder, 'back');
    const { stdout } = await runCommand(inStore, 'media', 'copy', '--to', target);
    expect(stdout).toMatch(/^5 of 5 pictures were copied to .*\nNow unset MEDIA_URL on every machine/u);
    expect(hashFolder(target)).toEqual(hashFolder(media()));
  });

  test('fails and says why if a copy differs, the store fails, or no other place is named', async () => {
    expect(await runCommand(onDisk, 'media', 'copy')).toMatchObject({
      code: 1,
      stderr: `Source and target are both ${media()}. Set --to or --from to another place.`,
    });
    expect(await runCommand(onDisk, 'media', 'copy', '--to', 's3://Pictures')).toMatchObject({
      code: 1,
      stderr: '--to must look like s3://bucket/prefix?endpoint=https://storage.example.edu.',
    });
    expect(await runCommand(inStore, 'media', 'copy', '--from', join(folder, 'none'))).toMatchObject({
      code: 1,
      stderr: `${join(folder, 'none')} does not exist.`,
    });
    fake.fault = '503';
    onTestFinished(() => void (fake.fault = 'none'));
    expect(await runCommand(onDisk, 'media', 'copy', '--to', url)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(s3://pictures/archive answered PUT with 503 SlowDown)') as string,
    });
  });
});

describe('an archive with an object store', () => {
  test('is backed up, restored into another store, and exported', async () => {
    const file = join(folder, 'backup.tar.gz');
    const made = await runCommand(inStore, 'backup', file, '--verify');
    expect(made).toMatchObject({ code: 0, stderr: expect.stringMatching(/, 5 pictures,/u) as string });
    const installation = await createInstallation(inject('databases'));
    onTestFinished(() => installation.drop());
    const before = hashObjects();
    const restored = {
      ...installation.settings,
      ...fake.environment,
      MEDIA_URL: `s3://pictures/restored?endpoint=${fake.origin}`,
    };
    expect(await runCommand(restored, 'restore', file)).toMatchObject({ code: 0, stderr: '' });
    const found = [...fake.objects].flatMap(([key, { content }]) =>
      key.startsWith('restored/') ? [[key.slice('restored/'.length), sha256(content)] as const] : [],
    );
    expect(Object.fromEntries(found.filter(([key]) => !key.startsWith('.')))).toEqual(before);
    expect(found.filter(([key]) => key.startsWith('.') && !key.startsWith('.deletions/'))).toEqual([]);
    expect(found.filter(([key]) => key.startsWith('.deletions/'))).toHaveLength(1);
    expect(readdirSync(installation.settings.DATA_DIR)).not.toContain('media');
    const target = join(folder, 'export');
    expect((await runCommand(restored, 'export', target)).code).toBe(0);
    expect(readdirSync(join(target, 'pictures'))).toHaveLength(5);
    expect((await runCommand(restored, 'pictures', 'clean-up')).code).toBe(0);
  });

  test('is checked by doctor', async () => {
    const { stdout } = await runCommand(inStore, 'doctor');
    expect(stdout).toMatch(/^OK {4}picture store +s3:\/\/pictures\/archive can be listed and written\.$/mu);
    expect(stdout).toMatch(/^OK {4}pictures +Found all 5 checked pictures\.$/mu);
    expect((await runCommand({ ...inStore, AWS_SECRET_ACCESS_KEY: 'wrong' }, 'doctor')).stdout).toMatch(
      /^FAIL {2}picture store +s3:\/\/pictures\/archive answered PUT with 403 SignatureDoesNotMatch\. Check AWS_ACCESS_KEY_ID/mu,
    );
  });

  test('is not backed up while the store does not respond, and the previous backup stays', async () => {
    fake.fault = '503';
    onTestFinished(() => void (fake.fault = 'none'));
    const file = join(folder, 'backup.tar.gz');
    const before = sha256(readFileSync(file));
    expect(await runCommand(inStore, 'backup', file, '--force')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('answered HEAD with 503') as string,
    });
    expect(sha256(readFileSync(file))).toBe(before);
  });
});
