import { Id } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import { decideReport } from '#server/features/reports/decide-report.ts';
import { type Report, findReports } from '#server/features/reports/queries.ts';
import { recordAuditEvent } from '#server/domain/audit-events.ts';
import { type Command, Failure, confirmChange } from '../support/command.ts';
import { formatMinute } from '../support/format-minute.ts';
import { openOperatorLog } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

export const reportsList: Command = {
  name: 'reports list',
  summary: 'List the open reports about messages, profiles and photos, the oldest first.',
  options: { all: { type: 'boolean', summary: 'also list closed reports, which are deleted 180 days after closing' } },
  description: [
    'Reports by guests are listed after the guest has confirmed the email address. To read a report, run "reports show ID".',
  ],
  examples: ['', '--all'],
  run: async ({ flags }, { environment, print }) =>
    withArchive(environment, async ({ context }) => {
      const reports = await findReports(context.db, { isOpen: !flags.has('all') });
      if (reports.length === 0) print(flags.has('all') ? 'No reports.' : 'No open reports.');
      for (const { id, kind, createdAt, closedAt, reason, subjectEmail } of reports)
        print(
          `${id}  ${formatMinute(createdAt)}  ${kind}  ${reason}  about ${subjectEmail}${closedAt ? '  closed' : ''}`,
        );
    }),
};

export const reportsShow: Command = {
  name: 'reports show',
  summary: 'Show one report: the reported account, the reporter, the reason and the text.',
  requiredArguments: ['ID'],
  examples: ['6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64'],
  run: async ({ args: [id = ''] }, { environment, print }) =>
    withArchive(environment, async ({ context }) => {
      for (const line of formatReport(await requireReport(context.db, id))) print(line);
    }),
};

export const reportsClose: Command = {
  name: 'reports close',
  summary: 'Dismiss a report, and all open reports about the same thing. They are deleted 180 days later.',
  requiredArguments: ['ID'],
  options: {
    note: { type: 'string', valueName: 'TEXT', summary: 'your decision, as a note for other operators' },
    'dry-run': { type: 'boolean', summary: 'print the report, without closing it' },
  },
  description: [
    'A photo that the report hides becomes visible again. To hide a photo or a profile, use the staff console. To disable the account, run "user disable EMAIL".',
    'The reporters are notified that there was no reason to act.',
  ],
  examples: ['6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64 --note "Sender warned by email"'],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context, config }) => {
      const report = await requireReport(context.db, input.args[0] ?? '');
      if (report.closedAt) throw new Failure(`Report ${report.id} is already closed.`);
      const plan = () => ['This report would be closed:', ...formatReport(report)].join('\n');
      if (!(await confirmChange(input, tools, false, plan))) return;
      const log = openOperatorLog(config.dataDir);
      const failure = await context.db
        .transaction()
        .execute((tx) =>
          decideReport(tx, report.itemId ?? report.id, { outcome: 'nothing', note: input.values['note'] ?? '' }, null),
        );
      if (failure !== null) throw new Failure(failure);
      recordAuditEvent(log, 'report closed by the operator');
      tools.print(`Report ${report.id} was closed.`);
    }),
};

/** Finds a report by its ID. @throws Failure when it does not exist */
async function requireReport(db: Db, text: string): Promise<Report> {
  const id = Id.safeParse(text.toLowerCase());
  const [report] = id.success ? await findReports(db, { id: id.data }) : [];
  if (!report) throw new Failure(`There is no report "${text}". To list the open reports, run "reports list".`);
  return report;
}

function formatClosed({ closedAt, closingNote }: Report): string {
  const note = closingNote && `: ${closingNote}`;
  if (closedAt) return `${formatMinute(closedAt)}${note}`;
  return closingNote ? `no, reported again after closing${note}` : 'no';
}

const formatPhoto = ({ photoId, photoTitle, moderation }: Report): string =>
  photoId === null ? 'deleted' : `${photoTitle} (${moderation ?? 'visible'}), ${photoId}`;

const formatReport = (report: Report): string[] => [
  `ID        ${report.id}`,
  `Kind      ${report.kind}`,
  ...(report.kind === 'photo' ? [`Photo     ${formatPhoto(report)}`] : []),
  `About     ${report.subjectEmail} (${report.subjectName ?? 'no profile'}), ${report.subjectId ?? 'a deleted account'}`,
  `Reports   ${report.aboutSubject} about this account`,
  `By        ${report.reporterEmail ?? 'a deleted account'}`,
  `Reason    ${report.reason}`,
  `Sent      ${formatMinute(report.createdAt)}`,
  `Closed    ${formatClosed(report)}`,
  ...(report.outcome === null ? [] : [`Outcome   ${report.outcome}`]),
  ...(report.text === '' ? ['Text      none'] : ['Text', ...report.text.split('\n').map((line) => `  > ${line}`)]),
];
