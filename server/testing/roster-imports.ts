import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { RosterImport } from '#contract/roster.ts';
import { type TestArchive, openArchive } from './archive.ts';
import type { Device } from './device.ts';
import { createStaff } from './staff.ts';

export const toCsv = (...rows: string[]): string =>
  ['Matric No,Surname,First Name,Date of Birth,Department,Email', ...rows, ''].join('\n');

export const ada = 'CSC/15/0001,Okafor,Ada,1995-03-14,Computer Science,ada@mail.example';
export const ben = 'CSC/15/0002,Bello,Ben,1994-12-01,Computer Science,ben@mail.example';

export type RosterImports = Awaited<ReturnType<typeof openRosterImports>>;

export async function openRosterImports(archive: TestArchive) {
  const registrar = await createStaff(archive, 'registrar');
  const owner = await createStaff(archive, 'owner');
  const rosterDir = join(archive.context.config.dataDir, 'roster');

  const find = (id: string) => registrar.device.call('GET /api/staff/roster/imports/{id}', { params: { id } });

  const uploadTo = (device: Device, content: string | Buffer | Readable, type = 'application/octet-stream') =>
    device.fetch(
      'POST',
      '/api/staff/roster/imports?name=list.csv',
      typeof content === 'string' ? Buffer.from(content) : content,
      { 'content-type': type },
    );

  async function approve(id: string): Promise<RosterImport> {
    const params = { id: (await find(id)).approval?.id ?? '' };
    await owner.device.call('POST /api/staff/approvals/{id}/approve', { params });
    await archive.runJobs();
    return find(id);
  }

  async function upload(content: string | Buffer): Promise<string> {
    const answer = await uploadTo(registrar.device, content);
    if (answer.statusCode !== 200) throw new Error(answer.body);
    await archive.runJobs();
    return String(answer.json<RosterImport>().id);
  }

  async function run(id: string, step: 'check' | 'cancel'): Promise<RosterImport> {
    await registrar.device.call(`POST /api/staff/roster/imports/{id}/${step}`, { params: { id } });
    await archive.runJobs();
    return find(id);
  }

  async function apply(id: string, ...confirmed: string[]): Promise<RosterImport> {
    const { checkedAt } = await find(id);
    const body = { checkedAt: checkedAt ?? '', confirmed };
    await registrar.device.call('POST /api/staff/roster/imports/{id}/apply', { params: { id }, body });
    await archive.runJobs();
    return find(id);
  }

  return {
    registrar,
    owner,
    find,
    uploadTo,
    upload,
    run,
    apply,
    approve,

    importFile: async (content: string): Promise<RosterImport> => {
      const id = await upload(content);
      await run(id, 'check');
      return apply(id);
    },

    undo: async (id: string): Promise<RosterImport> => {
      await registrar.device.call('POST /api/staff/roster/imports/{id}/undo', { params: { id } });
      return approve(id);
    },

    findApproval: async (id: string) => {
      const { approvals } = await owner.device.call('GET /api/staff/approvals');
      return approvals.find((one) => one.id === id);
    },

    findRecords: async (id: string) =>
      (await owner.device.call('GET /api/staff/audit-log', { query: { subject: id } })).records.map(
        ({ action, actor, details }) => ({ action, actor, details }),
      ),

    storedFiles: (): string[] => (existsSync(rosterDir) ? readdirSync(rosterDir) : []),

    reset: async (): Promise<void> => {
      await archive.pool.query(
        'delete from roster_imports; delete from roster_mappings; delete from roster_links; delete from roster_entries',
      );
      rmSync(rosterDir, { recursive: true, force: true });
      await archive.pool.query('update sessions set authenticated_at = now()');
    },
  };
}

/** Opens an archive for the tests of a file, whose roster is empty before each test. */
export function setUpRosterImports(
  databases: Parameters<typeof openArchive>[0],
  assign: (opened: { archive: TestArchive; roster: RosterImports }) => void,
): void {
  let archive: TestArchive;
  let roster: RosterImports;
  beforeAll(async () => {
    archive = await openArchive(databases);
    roster = await openRosterImports(archive);
    assign({ archive, roster });
  });
  afterAll(() => archive.close());
  beforeEach(() => roster.reset());
}
