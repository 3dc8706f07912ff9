import { contentReasons, reportReasons } from '#contract/report-values.ts';
import type { StaffReport } from '#contract/staff/reports.ts';
import type { ReportOutcome } from '#contract/staff/values.ts';
import { Link } from 'react-router';
import { staffPath } from '../staff-paths.ts';
import { ReportFacts } from '../reports/report-facts.tsx';
import { kindLabels, outcomeLabels, reasonLabels } from '../reports/report-labels.ts';
import { type DecisionAction, DecisionBar } from './decision-bar.tsx';
import { TextPanel } from './decision-panels.tsx';
import { type ReviewDetailProps, defineReviewDetail } from './review-detail.ts';

const askedToBeRemoved = {
  label: 'Asked to be removed',
  text: 'A person in this photo has asked to be removed. Please ask people before you add photos of them.',
};

/** The reported person reads these texts. */
const presets = [
  {
    label: 'Insults someone',
    text: 'Something you published or wrote insults or hurts other people. Please treat other members with respect.',
  },
  {
    label: 'Not this person',
    text: 'Your photo or profile shows or names someone else. Please correct it, or write to the alumni office.',
  },
];

const reasonsByKind = { message: reportReasons, ...contentReasons };

export const reportDetail = defineReviewDetail<StaffReport, 'report'>({
  label: 'Report',
  pluralLabel: 'Reports',
  reasons: Object.fromEntries(
    Object.entries(reasonsByKind).flatMap(([kind, reasons]) =>
      reasons.map((reason) => [
        `${kind}-${reason}`,
        `${kindLabels[kind as keyof typeof reasonsByKind].toLowerCase()}: ${reasonLabels[reason]}`,
      ]),
    ),
  ),
  outcomes: outcomeLabels,
  load: (call, id) => call('GET /api/staff/reports/{id}', { params: { id } }),
  Component: ReportDetail,
});

function ReportDetail({ data: report, notes, onDecide, failed }: ReviewDetailProps<StaffReport, 'report'>) {
  return (
    <>
      <ReportFacts report={report} />
      {report.outcome !== null && report.outcome !== 'nothing' && (
        <p>
          <Link to={staffPath('reports', report.id)} className="link inline-flex min-h-11 items-center">
            Restore what was hidden, or end the suspension
          </Link>
        </p>
      )}
      {notes}
      <DecisionBar actions={listActions(report, onDecide, failed)} openAtFirst={failed?.outcome} />
    </>
  );
}

interface Action {
  readonly label: string;
  readonly shortcut: string;
  readonly title: string;
  readonly hint: string;
}

function listActions(
  report: StaffReport,
  onDecide: ReviewDetailProps<StaffReport, 'report'>['onDecide'],
  failed: ReviewDetailProps<StaffReport, 'report'>['failed'],
): DecisionAction[] {
  const isReported = report.photo?.moderation === 'reported';
  const thing = report.kind === 'photo' ? 'photo' : 'profile';
  const actions: Record<ReportOutcome, Action> = {
    nothing: {
      label: 'Dismiss',
      shortcut: 'a',
      title: 'Dismiss the report?',
      hint: `${isReported ? 'The photo becomes visible again, and the reported person is notified. ' : ''}The reporters are notified that there was no reason to act.`,
    },
    hide: {
      label: 'Hide',
      shortcut: 'h',
      title: `Hide the ${thing}?`,
      hint: 'Only the reported person and staff can see it until staff restore it.',
    },
    'take-down': {
      label: 'Take down',
      shortcut: 't',
      title: 'Take the photo down?',
      hint: 'The photo is hidden at once and deleted after 30 days. Until then, staff can restore it.',
    },
    suspend: {
      label: 'Suspend',
      shortcut: 's',
      title: 'Suspend the account for 7 days?',
      hint: 'The person cannot sign in, and no one sees the profile and photos. Staff can end the suspension earlier.',
    },
  };
  return report.outcomes.map((outcome) => {
    const { label, shortcut, title, hint } = actions[outcome];
    return {
      id: outcome,
      label,
      shortcut,
      variant: outcome === 'suspend' || outcome === 'take-down' ? 'danger' : 'quiet',
      panel:
        outcome === 'nothing' ? (
          <TextPanel title={title} hint={hint} action="Dismiss the report" onDecide={() => onDecide({ outcome })} />
        ) : (
          <TextPanel
            title={title}
            hint={hint}
            label="Message to the reported person (optional)"
            presets={report.kind === 'photo' ? [askedToBeRemoved, ...presets] : presets}
            action={label}
            variant={outcome === 'hide' ? 'strong' : 'danger'}
            {...(failed?.outcome === outcome && { initialText: failed.text ?? '' })}
            onDecide={(text) => onDecide({ outcome, text })}
          />
        ),
    };
  });
}
