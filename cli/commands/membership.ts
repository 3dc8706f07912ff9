import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { confirmAccount } from '#server/domain/membership/confirmations.ts';
import {
  countMemberships,
  endGracePeriods,
  removeConfirmation,
  requireConfirmation,
} from '#server/domain/membership/membership-mode.ts';
import { requiresConfirmation } from '#server/domain/membership/membership.ts';
import { type MailboxMatch, countKnownMatricNumbers, findMailboxMatches } from '#server/domain/roster/switch-report.ts';
import { gracePeriodsJob } from '#server/features/identity/jobs.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { type Command, Failure, confirmChange } from '../support/command.ts';
import { openOperatorLog, operatorLogPath } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

const defaultGrace = '90d';
const maxGraceDays = 3_650;

const dryRunOption = {
  'dry-run': { type: 'boolean', summary: 'print what would change, without changing it' },
} as const;

const restartNote = 'The change takes effect at once, also in a running server.';

export const membershipRequireConfirmation: Command = {
  name: 'membership require-confirmation',
  summary: 'Make members confirm that they studied here. Nothing is deleted.',
  options: {
    grace: { type: 'string', valueName: 'DAYS', summary: `how long members keep access, by default ${defaultGrace}` },
    ...dryRunOption,
  },
  description: [
    'First set "membership": "confirmed" in the institution file, and import the roster of the registrar.',
    'Members are confirmed at once if their verified email address and date of birth are those of exactly one person on the roster. All others keep access for the grace period. They get three emails: at its start, and 30 and 7 days before its end. After it, they see what guests see, and other people do not see their profile, until they confirm.',
    `An interrupted run can be repeated. In an archive that already requires confirmation, the command only shortens grace periods, never extends them. ${restartNote}`,
  ],
  examples: ['--dry-run', '', '--grace 30d'],
  run: (input, tools) => {
    const graceDays = readGraceDays(input.values['grace'] ?? defaultGrace);
    return withArchive(tools.environment, async (archive) => {
      const { context, config } = archive;
      const { db, institution } = context;
      if (institution.membership !== 'confirmed')
        throw new Failure(
          `Nothing was changed. First add this line to ${config.institutionFile}, and run the command again: "membership": "confirmed",`,
        );
      const before = await countMemberships(db);
      const matches = await findMatches(archive);
      const plan = async () => {
        const known = await countKnownMatricNumbers(db);
        const rest = before.byStatus.unconfirmed - matches.length;
        return [
          `Members: ${before.accounts}, of whom ${before.byStatus.confirmed} are confirmed already.`,
          `Would be confirmed at once, by email address and date of birth: ${matches.length}.`,
          `Would remain unconfirmed: ${rest}. Unconfirmed members whose matric number is on the roster: ${known}.`,
          graceDays === 0
            ? 'They would lose access at once.'
            : `They would keep access for ${graceDays} days. ${describeMailing(rest)}`,
        ].join('\n');
      };
      if (!(await confirmChange(input, tools, false, plan))) return;
      const log = openOperatorLog(config.dataDir);
      const wasConfirmed = await requiresConfirmation(db);
      {
        using bar = tools.progress('Confirming', matches.length);
        await confirmMatches(archive, matches, () => bar.add());
      }
      {
        using bar = tools.progress('Starting grace periods', null);
        await requireConfirmation(db, graceDays, (count) => bar.add(count));
      }
      if (!wasConfirmed) recordAuditEvent(log, 'confirmation of members required by the operator');
      {
        using bar = tools.progress('Removing from lists', null);
        await endGracePeriods(db, (count) => bar.add(count));
      }
      // The running server, or its next start, sends the first mails.
      await gracePeriodsJob.queue(db, {}, { key: 'switch', delaySeconds: 0 });
      for (const line of await describeMembership(archive)) tools.print(line);
      tools.print(`Recorded in ${operatorLogPath(config.dataDir)}.`);
    });
  },
};

export const membershipOpen: Command = {
  name: 'membership open',
  summary: 'Stop requiring confirmation: every verified account with a profile is a member.',
  options: dryRunOption,
  description: [
    'First set "membership": "open" in the institution file, or remove that line. Everyone who was removed from the lists returns to their previous place. Confirmations, claims and the roster are kept.',
    `An interrupted run can be repeated. ${restartNote}`,
  ],
  examples: ['--dry-run', ''],
  run: (input, tools) =>
    withArchive(tools.environment, async (archive) => {
      const { context, config } = archive;
      if (context.institution.membership !== 'open')
        throw new Failure(
          `Nothing was changed. First remove the line "membership": "confirmed" from ${config.institutionFile}, and run the command again.`,
        );
      if (!(await requiresConfirmation(context.db))) {
        tools.print('This archive does not require confirmation. Nothing was changed.');
        return;
      }
      const { accounts, byStatus, inGrace } = await countMemberships(context.db);
      const plan = () => `${accounts - byStatus.confirmed - inGrace} people would become members again.`;
      if (!(await confirmChange(input, tools, false, plan))) return;
      const log = openOperatorLog(config.dataDir);
      {
        using bar = tools.progress('Adding to lists', null);
        await removeConfirmation(context.db, (count) => bar.add(count));
      }
      recordAuditEvent(log, 'confirmation of members no longer required by the operator');
      for (const line of await describeMembership(archive)) tools.print(line);
      tools.print(`Recorded in ${operatorLogPath(config.dataDir)}.`);
    }),
};

export const membershipStatus: Command = {
  name: 'membership status',
  summary: 'Show whether members must be confirmed, and how many are.',
  examples: [''],
  run: (_, { environment, print }) =>
    withArchive(environment, async (archive) => {
      for (const line of await describeMembership(archive)) print(line);
    }),
};

function readGraceDays(text: string): number {
  const days = /^\d{1,4}d$/u.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
  if (!(days <= maxGraceDays))
    throw new Failure(
      `--grace takes a number of days up to ${maxGraceDays}d, such as ${defaultGrace}, or 0d for none.`,
    );
  return days;
}

/** Returns the accounts that the roster confirms at once; none if the institution does not accept this evidence. */
const findMatches = async ({ context: { db, institution } }: OpenArchive) =>
  institution.acceptedEvidence.includes('roster-email') ? findMailboxMatches(db) : [];

async function confirmMatches({ context }: OpenArchive, matches: readonly MailboxMatch[], onEach: () => void) {
  for (const match of matches) {
    await context.db
      .transaction()
      .execute((tx) => confirmAccount(tx, context, { ...match, kind: 'roster-email', decidedBy: 'operator' }));
    onEach();
  }
}

/** The server sends mails to many people in batches of 100 every ten minutes. */
const mailsPerDay = 14_400;
const describeMailing = (people: number): string =>
  people <= mailsPerDay
    ? ''
    : `Sending each of the three emails to all of them takes ${Math.ceil(people / mailsPerDay)} days.`;

const formatDay = (date: Date) => date.toISOString().slice(0, 'YYYY-MM-DD'.length);

async function describeMembership({ context: { db } }: OpenArchive): Promise<string[]> {
  const { accounts, byStatus, inGrace, firstEnd, lastEnd } = await countMemberships(db);
  const isConfirmed = await requiresConfirmation(db);
  return [
    `Mode          ${isConfirmed ? 'confirmed: the institution confirms each member' : 'open: everyone with a verified address and a profile is a member'}`,
    `Profiles      ${accounts}`,
    `Confirmed     ${byStatus.confirmed}`,
    `Unconfirmed   ${byStatus.unconfirmed}`,
    `Disputed      ${byStatus.disputed}`,
    `Rejected      ${byStatus.rejected}`,
    ...(isConfirmed && firstEnd && lastEnd
      ? [`In grace      ${inGrace}, until ${[...new Set([firstEnd, lastEnd].map(formatDay))].join(' to ')}`]
      : []),
  ];
}
