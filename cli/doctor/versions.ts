import { readFile } from 'node:fs/promises';
import { type Check, fail, ok } from './check.ts';

/** The first Node that has argon2id. */
const oldestNode = [24, 7] as const;

/** What runs here. */
export const versionChecks: readonly Check[] = [
  {
    about: 'version',
    run: async () => {
      const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
      const { version } = JSON.parse(text) as { version: string };
      return ok(`${version}, on ${process.platform} ${process.arch}.`);
    },
  },
  {
    about: 'Node',
    run: async () => {
      const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
      const isEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
      return isEnough
        ? ok(`${process.versions.node}.`)
        : fail(`${process.versions.node} is too old: ${oldestNode.join('.')} is needed. Run npm ci, which brings one.`);
    },
  },
];
