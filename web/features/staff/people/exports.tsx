import { Link } from 'react-router';
import { toWireRequest } from '#contract/call.ts';
import { formatPeople } from '#contract/counts.ts';
import type { PeopleExport } from '#contract/staff/exports.ts';
import { exportLabelOf } from '#contract/staff/people-values.ts';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { staffPath } from '../staff-paths.ts';
import { downloadFile } from '../ui/download-file.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { usePolling } from '../ui/use-polling.ts';
import { exportStateLabels } from './people-labels.ts';
import { useActions } from '../use-actions.tsx';

export interface ExportsData {
  readonly kind: 'exports';
  readonly exports: readonly PeopleExport[];
}

/** Poll intervals while an export is being created, and while its approval is pending. */
const [makingDelayMs, approvalDelayMs] = [2_000, 15_000];

export function Exports({ exports }: { exports: readonly PeopleExport[] }) {
  const { run, dialog } = useActions();
  const states = new Set(exports.map(({ state }) => state));
  const delayMs = states.has('making') ? makingDelayMs : states.has('waiting') ? approvalDelayMs : null;
  usePolling(exports, async () => (await callApi('GET /api/staff/exports')).exports, delayMs);
  return (
    <>
      <PageHeader
        back={{ to: staffPath('people'), label: 'People' }}
        title="Your exports"
        lead="Only you can download these files. You can close this page while a file is being created. Each file is deleted after 24 hours."
      />
      {exports.length === 0 ? (
        <EmptyState drawing="hall" title="No exports yet">
          Files that you create with “Export as CSV” under People will appear here for 24 hours.
        </EmptyState>
      ) : (
        <Rows label="Exports">
          {exports.map(({ id, state, people, columns, requestedAt, failure }) => {
            const { label, tone } = exportStateLabels[state];
            return (
              <Row
                key={id}
                title={
                  <>
                    {formatPeople(people)}, <Day of={requestedAt} />
                  </>
                }
                detail={failure || reword(columns.map(exportLabelOf).join(', '))}
                aside={
                  <>
                    <span role="status">
                      {state === 'ready' ? label : <StatusPill {...(tone && { tone })}>{label}</StatusPill>}
                    </span>
                    {state === 'waiting' && (
                      <Link to={staffPath('approvals')} className="link inline-flex min-h-11 items-center lg:min-h-8">
                        See approvals
                      </Link>
                    )}
                    {state === 'ready' && (
                      <Button
                        variant="quiet"
                        onClick={() =>
                          run(() =>
                            downloadFile(
                              toWireRequest('GET /api/staff/exports/{id}/file', { params: { id } }).url,
                              `people-${requestedAt.slice(0, 10)}-${id.slice(0, 8)}.csv`,
                            ),
                          )
                        }
                      >
                        Download
                      </Button>
                    )}
                  </>
                }
              />
            );
          })}
        </Rows>
      )}
      {dialog}
    </>
  );
}
