import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from '#server/seed/random.ts';
import type { BenchArchive } from '../archive.ts';
import { sendRequest } from '../load.ts';
import { createClientAddress, prepareMembers } from '../members.ts';
import { loadTestSettings, startServer } from '../server.ts';
import { createClaim } from './claimants.ts';
import type { Enrolled } from './roster.ts';

export const claimingAccounts = 400;

/**
 * Starts a server in the mode `confirmed`, and lets each account claim its entry once, one after another.
 * @param people the people of the accounts
 * @returns the durations in milliseconds by the status of the response
 */
export async function decideClaims(
  archive: BenchArchive,
  people: readonly Enrolled[],
  data: string,
): Promise<Map<string, number[]>> {
  const institutionFile = join(data, 'institution.json');
  writeFileSync(institutionFile, JSON.stringify({ ...archive.institution, membership: 'confirmed' }));
  await archive.database.pool.query(`update membership_mode set mode = 'confirmed'`);
  const server = await startServer('server/main.ts', archive, data, {
    ...loadTestSettings,
    LOG_LEVEL: 'warn',
    INSTITUTION_FILE: institutionFile,
  });
  try {
    const members = await prepareMembers(archive, server, people.length);
    const random = createRandom(7);
    const durations = new Map<string, number[]>();
    for (const [number, target] of people.entries()) {
      const { matricNumber, dob } = createClaim('true', random, target, target);
      const start = performance.now();
      const { body } = await sendRequest({
        url: `${server.url}/api/membership/claims`,
        method: 'POST',
        headers: {
          ...members[number]?.headers,
          origin: server.url,
          'x-forwarded-for': createClientAddress(number),
        },
        body: JSON.stringify({ matricNumber: matricNumber || 'unknown', dob }),
      });
      const duration = performance.now() - start;
      const { status } = JSON.parse(body.toString()) as { status: string };
      durations.set(status, [...(durations.get(status) ?? []), duration]);
    }
    return durations;
  } finally {
    await server.stop();
  }
}
