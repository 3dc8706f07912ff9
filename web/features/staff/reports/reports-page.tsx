import { useState } from 'react';
import { Link, type LoaderFunctionArgs, useRevalidator } from 'react-router';
import type { ActedReport, StaffReport } from '#contract/staff/reports.ts';
import { callApi } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { ReportFacts } from './report-facts.tsx';
import { kindLabels, outcomeLabels } from './report-labels.ts';

type Data = { readonly reports: readonly ActedReport[] } | { readonly report: StaffReport };

export async function loadReports({ context }: LoaderFunctionArgs, id: string | null): Promise<Data> {
  const { call } = context.get(loaderServices);
  return id === null
    ? call('GET /api/staff/reports')
    : { report: await call('GET /api/staff/reports/{id}', { params: { id } }) };
}

export function ReportsPage({ data }: StaffPageProps<Data>) {
  if ('report' in data) return <DecidedReport report={data.report} />;
  const { reports } = data;
  return (
    <>
      <PageHeader
        title="Decided reports"
        lead="Reports of the last 180 days that led to an action. Open one to restore a photo or profile, or to end a suspension."
      />
      {reports.length === 0 ? (
        <EmptyState drawing="rock" title="Nothing to restore">
          No report has led to an action in the last 180 days. Open reports are in the{' '}
          <Link to={staffPath('review')} className="link">
            review queue
          </Link>
          .
        </EmptyState>
      ) : (
        <Rows label="Decided reports">
          {reports.map(({ id, kind, outcome, closedAt, name, isInEffect }) => (
            <Row
              key={id}
              to={staffPath('reports', id)}
              title={name ?? 'Deleted account'}
              detail={
                <>
                  {kindLabels[kind]}: {outcomeLabels[outcome].toLowerCase()} on <Day of={closedAt} />
                </>
              }
              aside={isInEffect ? <StatusPill tone="danger">{outcomeLabels[outcome]}</StatusPill> : 'Restored or ended'}
            />
          ))}
        </Rows>
      )}
    </>
  );
}

type What = 'photo' | 'profile' | 'account';

const actions: Record<What, { readonly label: string; readonly title: string; readonly hint: string }> = {
  photo: {
    label: 'Restore the photo',
    title: 'Restore the photo?',
    hint: 'Everyone who could see it before can see it again. The reported person is notified.',
  },
  profile: {
    label: 'Restore the profile',
    title: 'Restore the profile?',
    hint: 'Everyone who could see it before can see it again. The reported person is notified.',
  },
  account: {
    label: 'End the suspension',
    title: 'End the suspension?',
    hint: 'The person can sign in again and is notified by email.',
  },
};

function DecidedReport({ report }: { report: StaffReport }) {
  const { id, subject, photo, outcome, closedAt } = report;
  const { revalidate } = useRevalidator();
  const [asked, setAsked] = useState<What | null>(null);
  const [text, setText] = useState('');
  const possible: What[] =
    closedAt === null
      ? []
      : [
          ...(photo?.moderation ? (['photo'] as const) : []),
          ...(subject.isProfileHidden ? (['profile'] as const) : []),
          ...(subject.suspendedUntil === null ? [] : (['account'] as const)),
        ];

  async function restore(what: What) {
    await callApi('POST /api/staff/reports/{id}/restore', { params: { id }, body: { what, text: text.trim() } });
    await revalidate();
    setAsked(null);
    toast('success', what === 'account' ? 'The suspension has ended' : 'Restored');
  }

  return (
    <>
      <PageHeader
        title={subject.name ?? 'Deleted account'}
        back={{ to: staffPath('reports'), label: 'Decided reports' }}
        lead={
          outcome === null || closedAt === null ? (
            'This report is still in the review queue.'
          ) : (
            <>
              {outcomeLabels[outcome]} on <Day of={closedAt} />.{' '}
              <Link to={staffPath('review', `report-${id}`)} className="link">
                Open the review item
              </Link>{' '}
              to reopen it.
            </>
          )
        }
        actions={possible.map((what) => (
          <Button key={what} variant="quiet" onClick={() => setAsked(what)}>
            {actions[what].label}
          </Button>
        ))}
      />
      <ReportFacts report={report} />
      {asked !== null && (
        <ConfirmDialog
          title={actions[asked].title}
          action={actions[asked].label}
          busy="Restoring..."
          variant="strong"
          onClose={() => setAsked(null)}
          onConfirm={() => restore(asked)}
        >
          <p>{actions[asked].hint}</p>
          <TextArea
            label="Message to the reported person (optional)"
            rows={3}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </ConfirmDialog>
      )}
    </>
  );
}
