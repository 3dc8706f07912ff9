import type { Command } from './command.ts';
import { requireAccount } from './find-account.ts';
import { type UserFacts, factsOf } from './user-facts.ts';
import { withArchive } from './with-archive.ts';

/** `user show EMAIL` */
export const userShow: Command = {
  name: 'user show',
  summary: 'Says what there is of an account: enough to help somebody who cannot sign in.',
  takes: ['EMAIL'],
  options: { json: { type: 'boolean', summary: 'for programs' } },
  help: ['Never a password, a code or a secret. An id is taken in place of the address.'],
  run: async ({ args: [named = ''], flags }, { environment, say }) => {
    await withArchive(environment, async (archive) => {
      const { id } = await requireAccount(archive.context.db, named);
      const facts = await factsOf(archive.context.db, id);
      if (flags.has('json')) {
        say(JSON.stringify({ id, ...facts }, null, 2));
        return;
      }
      for (const [label, value] of linesOf(id, facts)) say(`${label.padEnd(16)}  ${value}`);
    });
  },
};

const passwords: Record<UserFacts['password'], string> = {
  argon2id: 'set',
  'firebase-scrypt': 'brought over; kept anew at the first sign-in',
  none: 'none: opens with a link for a new password',
};

const linesOf = (id: string, facts: UserFacts): [label: string, value: string][] => [
  ['Address', `${facts.email} (${facts.isVerified ? 'verified' : 'not verified'})`],
  [
    'Mail',
    facts.mailFailedAt
      ? `does not get there since ${facts.mailFailedAt.toISOString()}`
      : 'gets there, as far as we know',
  ],
  ['Id', id],
  ['Account', facts.disabledAt ? `switched off since ${facts.disabledAt.toISOString()}` : 'on'],
  ...(facts.deletesAt
    ? [['Deletion', `requested by its owner, due ${facts.deletesAt.toISOString()}`] as [string, string]]
    : []),
  ['Created', facts.createdAt.toISOString()],
  ['Last seen', `${facts.seenAt.toISOString()}${facts.sessions === 0 ? ', not signed in anywhere' : ''}`],
  ['Profile', profileOf(facts)],
  ['Terms', facts.termsVersion ?? 'not accepted yet'],
  ['Password', passwords[facts.password]],
  ['Second factor', factorsOf(facts)],
  ['Sessions', String(facts.sessions)],
  ['Photos', String(facts.photos)],
  ['Jobs that wait', `${facts.jobs}${facts.failedJobs > 0 ? `, ${facts.failedJobs} of them given up` : ''}`],
];

function profileOf({ profile, isHidden, hiddenUntilSignIn, isUnfinished }: UserFacts): string {
  if (profile === null) return isUnfinished ? 'brought over, to be completed by its owner' : 'none yet';
  if (hiddenUntilSignIn !== null) return `${profile} (hidden until they sign in: ${hiddenUntilSignIn})`;
  return isHidden ? `${profile} (hidden by its owner)` : profile;
}

/** What they sign in with beside their password, in words. */
export function factorsOf({ authenticator, passkeys, recoveryCodes }: UserFacts): string {
  const factors = [
    authenticator && 'authenticator app',
    passkeys > 0 && (passkeys === 1 ? 'one passkey' : `${passkeys} passkeys`),
  ].filter(Boolean);
  return factors.length === 0 ? 'none' : `${factors.join(', ')}; recovery codes left: ${recoveryCodes}`;
}
