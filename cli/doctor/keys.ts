import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { foreignFolder, isForeignFolder } from '#server/open-archive.ts';
import { type KeyState, lookAtSecondFactorKey } from '#server/domain/second-factor-key.ts';
import { readFirebaseKeys } from '#server/platform/firebase-passwords.ts';
import { type Check, type Finding, archiveOf, ask, fail, ok } from './check.ts';

/** Keys in the data folder, and what they have to fit. */
export const keyChecks: readonly Check[] = [
  {
    about: 'second-factor.key',
    needs: 'tables',
    run: async (subject) => {
      const { pool, config, context } = archiveOf(subject);
      const state = await lookAtSecondFactorKey(context.db, config.dataDir);
      if (state === 'not needed' && (await isForeignFolder(pool, config))) return fail(foreignFolder(config.dataDir));
      const advice = 'Put the file back from a backup; without it, authenticator apps have to be set up anew.';
      const found: Record<KeyState, Finding> = {
        'not needed': ok('nobody has an authenticator app yet.'),
        right: ok('opens what it has sealed.'),
        missing: fail(`It is missing. ${advice}`),
        another: fail(`It is another one than the authenticator apps were set up with. ${advice}`),
      };
      return found[state];
    },
  },
  {
    about: 'token-key.json',
    run: async ({ config: { dataDir } }) => {
      const text = await readFile(join(dataDir, 'token-key.json'), 'utf8').catch(() => null);
      if (text === null) return ok('none yet; it is made when a token is asked for.');
      try {
        const { kty, d } = JSON.parse(text) as { kty?: unknown; d?: unknown };
        if (kty === 'OKP' && typeof d === 'string') return ok('is a key.');
      } catch {
        // What is no JSON is no key either.
      }
      return fail('It is broken. Put it back from a backup, or delete it: a new one is made.');
    },
  },
  {
    about: 'brought passwords',
    needs: 'tables',
    run: async (subject) => {
      const rows = await ask<{ id: string; people: number }>(
        subject,
        `select substring(password_hash from '\\$k=([0-9a-f]{12})\\$') as id, count(*)::int as people
         from accounts where password_hash like '$firebase-scrypt$%' group by 1`,
      );
      const keys = await readFirebaseKeys(subject.config.dataDir);
      const lost = rows.filter(({ id }) => !keys.has(id));
      if (lost.length > 0) {
        const people = lost.reduce((sum, row) => sum + row.people, 0);
        return fail(
          `The key of ${people} of them is missing in DATA_DIR/secrets (${lost.map(({ id }) => `firebase-${id}.json`).join(', ')}). Put it back from a backup; until then these people need a new password by mail.`,
        );
      }
      const people = rows.reduce((sum, row) => sum + row.people, 0);
      const idle = [...keys.keys()].filter((id) => rows.every((row) => row.id !== id));
      if (idle.length > 0)
        return ok(
          `Nobody needs secrets/firebase-${idle.join('.json, firebase-')}.json any more: delete it, and signing in takes half the work.`,
        );
      return ok(people === 0 ? 'none.' : `${people} wait for their first sign-in, and their key is there.`);
    },
  },
];
