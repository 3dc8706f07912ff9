import { Id } from '#contract/fields.ts';
import type { Db } from '#server/db/client.ts';
import { type Report, closeReport, findReports } from '#server/features/reports/queries.ts';
import { recordAuditEvent } from '#server/domain/audit-events.ts';
import { type Command, Failure, confirm } from '../support/command.ts';
import { openOperatorLog } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

const minute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** `reports list` */
export const reportsList: Command = {
  name: 'reports list',
  summary: 'Lists the open reports of members, the oldest first.',
  options: { all: { type: 'boolean', summary: 'lists closed reports too; they are deleted 180 days after closing' } },
  help: ['Members report a message with the link in its mail. "reports show ID" shows the text.'],
  run: async ({ flags }, { environment, say }) =>
    withArchive(environment, async ({ context }) => {
      const reports = await findReports(context.db, { isOpen: !flags.has('all') });
      if (reports.length === 0) say(flags.has('all') ? 'There are no reports.' : 'There are no open reports.');
      for (const { id, createdAt, closedAt, reason, subjectEmail } of reports)
        say(`${id}  ${minute(createdAt)}  ${reason}  about ${subjectEmail}${closedAt ? '  closed' : ''}`);
    }),
};

/** `reports show ID` */
export const reportsShow: Command = {
  name: 'reports show',
  summary: 'Shows one report: who is reported, by whom, why, and what the reporter wrote.',
  takes: ['ID'],
  run: async ({ args: [id = ''] }, { environment, say }) =>
    withArchive(environment, async ({ context }) => {
      for (const line of linesOf(await requireReport(context.db, id))) say(line);
    }),
};

/** `reports close ID` */
export const reportsClose: Command = {
  name: 'reports close',
  summary: 'Closes a report. It is deleted 180 days later.',
  takes: ['ID'],
  options: {
    note: { type: 'string', value: 'TEXT', summary: 'what was decided, for other operators' },
    'dry-run': { type: 'boolean', summary: 'shows the report, and changes nothing' },
  },
  help: ['Closing does not change the account that was reported. To switch an account off: "user disable EMAIL"'],
  run: (input, tools) =>
    withArchive(tools.environment, async ({ context, config }) => {
      const report = await requireReport(context.db, input.args[0] ?? '');
      if (report.closedAt) throw new Failure(`Report ${report.id} is already closed.`);
      const plan = () => ['This report would be closed:', ...linesOf(report)].join('\n');
      if (!(await confirm(input, tools, false, plan))) return;
      const log = openOperatorLog(config.dataDir);
      if (!(await closeReport(context.db, report.id, input.values['note'] ?? '')))
        throw new Failure(`Report ${report.id} is already closed.`);
      recordAuditEvent(log, 'report closed by the operator');
      tools.say(`Report ${report.id} is closed.`);
    }),
};

/** @throws Failure when there is no such report */
async function requireReport(db: Db, text: string): Promise<Report> {
  const id = Id.safeParse(text.toLowerCase());
  const [report] = id.success ? await findReports(db, { id: id.data }) : [];
  if (!report) throw new Failure(`There is no report "${text}". "reports list" lists the open ones.`);
  return report;
}

function closedLine({ closedAt, closingNote }: Report): string {
  const note = closingNote && `: ${closingNote}`;
  if (closedAt) return `${minute(closedAt)}${note}`;
  return closingNote ? `no, reported again after it was closed${note}` : 'no';
}

const linesOf = (report: Report): string[] => [
  `Id        ${report.id}`,
  `About     ${report.subjectEmail} (${report.subjectName ?? 'no profile'}), ${report.subjectId ?? 'an account that was deleted'}`,
  `Reports   ${report.aboutSubject} about this account`,
  `By        ${report.reporterEmail ?? 'an account that was deleted'}`,
  `Reason    ${report.reason}`,
  `Sent      ${minute(report.createdAt)}`,
  `Closed    ${closedLine(report)}`,
  ...(report.text === '' ? ['Text      none'] : ['Text', ...report.text.split('\n').map((line) => `  > ${line}`)]),
];
