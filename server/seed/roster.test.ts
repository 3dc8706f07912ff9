import { expect, inject, test } from 'vitest';
import { openArchive } from '#server/testing/archive.ts';
import { demoAccount, newcomerAccount, seedCampus } from './campus.ts';
import { demoCodes } from './roster.ts';

test('seedCampus with a roster confirms its people, and creates claims, a dispute and an account to confirm', async () => {
  const archive = await openArchive(inject('databases'));
  try {
    await seedCampus(archive.context, { people: 100, portraits: 2, rosterEntries: 300 });
    const { rows } = await archive.pool.query(
      `select (select mode from membership_mode) as mode, (select count(*)::int from roster_entries) as entries,
         (select count(*)::int from roster_links) as links, (select count(*)::int from evidence) as evidence,
         (select count(*)::int from accounts where membership_status = 'confirmed') as confirmed,
         (select count(distinct account_id)::int from listings) as listed,
         (select count(*)::int from claims where state = 'waiting') as claims, (select count(*)::int from disputes) as disputes`,
    );
    expect(rows).toEqual([
      {
        mode: 'confirmed',
        entries: 300,
        links: 98,
        // 98 for the linked accounts, and one for the claimant in the dispute.
        evidence: 99,
        confirmed: 98,
        listed: 98,
        claims: 2,
        disputes: 1,
      },
    ]);
    const demo = archive.openDevice();
    await demo.call('POST /api/identity/sign-in', { body: demoAccount });
    expect(await demo.call('GET /api/membership')).toMatchObject({ status: 'confirmed', evidence: [{}] });
    expect(await demo.call('GET /api/users/count', { query: {} })).toMatchObject({ count: 98 });

    const newcomer = archive.openDevice();
    await newcomer.call('POST /api/identity/sign-in', { body: newcomerAccount });
    expect(await newcomer.call('GET /api/membership')).toMatchObject({ status: 'unconfirmed' });
    const use = (code: string) => newcomer.call('POST /api/membership/codes', { body: { code } });
    expect(await use(demoCodes[0])).toEqual({ status: 'confirmed' });
    expect(await demo.call('GET /api/users/count', { query: {} })).toMatchObject({ count: 99 });
    expect(await newcomer.call('GET /api/membership')).toMatchObject({ status: 'confirmed' });
    const { rows: codes } = await archive.pool.query('select from membership_codes where used_at is null');
    expect(codes).toHaveLength(2);
  } finally {
    await archive.close();
  }
});
