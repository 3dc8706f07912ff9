import { expect, inject, test } from 'vitest';
import { findBrokenRecord } from '#server/domain/staff/audit-log.ts';
import { openArchive } from '#server/testing/archive.ts';
import { demoAccount, seedCampus } from './campus.ts';
import { computeDemoCode, staffAccounts } from './staff.ts';

test(
  'seedCampus with a roster creates staff who can sign in, and things for them to decide',
  { tags: ['release'] },
  async () => {
    const archive = await openArchive(inject('databases'));
    try {
      await seedCampus(archive.context, { people: 700, portraits: 2, rosterEntries: 900 });
      const signIn = async (email: string) => {
        const device = archive.openDevice();
        const body = { email, password: demoAccount.password };
        expect(await device.code('POST /api/identity/sign-in', { body })).toBe('auth/multi-factor-required');
        await device.call('POST /api/identity/sign-in/second-factor', { body: { code: computeDemoCode() } });
        return device;
      };
      const owner = await signIn(staffAccounts.owner);
      expect(await owner.call('GET /api/staff/me')).toMatchObject({ roles: [{ role: 'owner' }], obstacle: null });
      const { counts } = await owner.call('GET /api/staff/queue', { query: {} });
      expect(counts.map(({ kind, waiting }) => [kind, waiting > 0])).toEqual(counts.map(({ kind }) => [kind, true]));
      const claims = await owner.call('GET /api/staff/queue', { query: { kind: 'claim' } });
      expect(claims.items.map(({ reason }) => reason === 'agrees').slice(0, 3)).toEqual([true, true, false]);
      for (const { id } of claims.items.slice(0, 2)) {
        const { candidates, agreeing } = await owner.call('GET /api/staff/claims/{id}', { params: { id } });
        expect([candidates[0], agreeing]).toMatchObject([
          { agreement: { matricNumber: 'same', birthDate: 'same', lastName: 'same', firstName: 'same' } },
          { toldAt: expect.any(String) as string, objectedAt: null },
        ]);
      }
      const toConfirm = claims.items.slice(0, 2).map(({ id, version }) => ({ id, version }));
      expect(await owner.call('POST /api/staff/queue/claims/confirm', { body: { items: toConfirm } })).toEqual({
        decided: toConfirm.map(({ id }) => id),
      });

      const reopened = claims.items.find(({ reopenedFrom }) => reopenedFrom !== null);
      const { account } = await owner.call('GET /api/staff/claims/{id}', { params: { id: reopened?.id ?? '' } });
      const { events } = await owner.call('GET /api/staff/people/{id}/membership-history', {
        params: { id: account.id },
      });
      expect(events).toMatchObject([
        { kind: 'reopened', by: staffAccounts.owner, reason: expect.stringContaining('came') as string },
        { kind: 'decision', state: 'rejected', by: staffAccounts.owner },
        { kind: 'attempt', birthDate: 'changed' },
        { kind: 'attempt', birthDate: 'first' },
      ]);
      const decided = await owner.call('GET /api/staff/queue', { query: { state: 'decided', person: account.id } });
      expect(decided.items).toMatchObject([{ id: reopened?.reopenedFrom, closed: { reopenedAs: reopened?.id } }]);

      const { items } = await owner.call('GET /api/staff/queue', { query: { kind: 'report' } });
      expect(items).toHaveLength(3);
      const reports = await Promise.all(
        items.map(({ id }) => owner.call('GET /api/staff/reports/{id}', { params: { id } })),
      );
      expect(reports).toMatchObject([
        { kind: 'profile', reports: [{}, {}], findings: [{ outcome: 'nothing' }] },
        { kind: 'photo', photo: { moderation: 'reported' }, reports: [{ reason: 'in-picture' }] },
        { kind: 'photo', photo: { moderation: null }, reports: [{ by: 'guest' }] },
      ]);
      const { approvals, canDecide } = await owner.call('GET /api/staff/approvals');
      expect([approvals, canDecide]).toMatchObject([[{ kind: 'people-export', state: 'waiting', isOwn: false }], true]);
      const { records } = await owner.call('GET /api/staff/audit-log', { query: {} });
      expect(records.length).toBeGreaterThan(5);
      expect(await findBrokenRecord(archive.context.db)).toBe(null);

      const registrar = await signIn(staffAccounts.registrar);
      expect((await registrar.call('GET /api/staff/me')).roles).toMatchObject([
        { role: 'registrar', college: 'COSIT' },
      ]);
      expect((await (await signIn(staffAccounts.moderator)).call('GET /api/staff/me')).rights).toContain('reports');
      const representative = await signIn(staffAccounts['class-representative']);
      const { roles } = await representative.call('GET /api/staff/me');
      const { academic } = await representative.call('GET /api/users/{id}', {
        params: { id: (await representative.call('GET /api/identity/session')).user?.uid ?? '' },
        query: {},
      });
      expect(roles).toMatchObject([{ department: academic.department, yearFrom: academic.year.graduated }]);
    } finally {
      await archive.close();
    }
  },
);
