import { Link, type LoaderFunctionArgs } from 'react-router';
import type { Approval } from '#contract/staff/approvals.ts';
import { type ApprovalKind, type ApprovalState, approvalTexts, noticeKinds } from '#contract/staff/values.ts';
import { callApi } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { upperFirst } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { Section } from '../ui/section.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { Time } from '../ui/time.tsx';
import { useActions } from '../use-actions.tsx';

export const loadApprovals = async ({ context }: LoaderFunctionArgs) =>
  context.get(loaderServices).call('GET /api/staff/approvals');

const stateNames: Record<ApprovalState, string> = {
  waiting: 'Waiting',
  approved: 'Running',
  refused: 'Refused',
  cancelled: 'Cancelled',
  done: 'Done',
  failed: 'Failed',
};

/** An approved request can have failed since. */
const decisionOf = ({ state }: Approval): string => (state === 'refused' || state === 'cancelled' ? state : 'approved');

export function ApprovalsPage({
  data: { approvals, canDecide },
}: StaffPageProps<Awaited<ReturnType<typeof loadApprovals>>>) {
  const waiting = approvals.filter(({ state }) => state === 'waiting');
  const decided = approvals.filter(({ state }) => state !== 'waiting');
  return (
    <>
      <PageHeader
        title="Approvals"
        lead="Some actions need two people: large exports and announcements, large changes to the roster, and adding or removing an owner."
      />
      {waiting.length === 0 ? (
        <EmptyState drawing="hall" title="No requests are waiting">
          {canDecide
            ? 'Requests of other staff will appear here, and you get an email about each.'
            : 'Your requests will appear here until they are approved. You can cancel them.'}
        </EmptyState>
      ) : (
        <Rows label="Waiting requests" hasButtons>
          {waiting.map((approval) => (
            <WaitingRow key={approval.id} approval={approval} canDecide={canDecide} />
          ))}
        </Rows>
      )}
      {decided.length > 0 && (
        <Section heading="Decided">
          <Rows label="Decided requests">
            {decided.map((approval) => (
              <Row
                key={approval.id}
                title={titleOf(approval)}
                detail={
                  <>
                    {approval.requestedBy ?? 'A deleted account'}, <Day of={approval.requestedAt} />
                    {approval.decidedBy !== null && ` · ${decisionOf(approval)} by ${approval.decidedBy}`}
                    {approval.failure !== '' && ` · ${approval.failure}`}
                  </>
                }
                aside={
                  approval.state === 'failed' ? (
                    <StatusPill tone="danger">{stateNames.failed}</StatusPill>
                  ) : (
                    stateNames[approval.state]
                  )
                }
              />
            ))}
          </Rows>
        </Section>
      )}
    </>
  );
}

const detailPages: Partial<Record<ApprovalKind, { readonly path: string; readonly label: string }>> = {
  announcement: { path: 'announcements', label: 'Read it under Announcements' },
  'roster-apply': { path: 'roster', label: 'See the changes under Roster imports' },
  'roster-undo': { path: 'roster', label: 'See the import under Roster imports' },
};

const titleOf = ({ kind, people }: Approval): string => upperFirst(approvalTexts[kind](people));

function WaitingRow({ approval, canDecide }: { approval: Approval; canDecide: boolean }) {
  const { run, dialog } = useActions();
  const { id, about, isOwn, requestedBy, requestedAt, runsAt } = approval;
  const title = titleOf(approval);
  const page = detailPages[approval.kind];

  const decide = async (decision: 'approve' | 'refuse' | 'cancel', done: string) =>
    run(async () => {
      await callApi(`POST /api/staff/approvals/{id}/${decision}`, { params: { id } });
      return done;
    });

  const who = <span className="sr-only">: {title}</span>;
  return (
    <>
      <Row
        title={title}
        detail={
          <>
            {about !== '' && <span className="block text-ink">{about}</span>}
            {page && (canDecide || isOwn) && (
              <Link to={staffPath(page.path)} className="link flex min-h-11 items-center lg:min-h-8">
                {page.label}
              </Link>
            )}
            {isOwn ? 'You' : (requestedBy ?? 'A deleted account')}, <Day of={requestedAt} />
            {runsAt !== null && (
              <>
                {' '}
                · runs on <Time of={runsAt} /> unless cancelled
                {!noticeKinds.includes(approval.kind) && ', because no one else can approve it'}
              </>
            )}
            {isOwn && runsAt === null && ` · waiting for ${canDecide ? 'another owner' : 'an owner'}`}
          </>
        }
        aside={
          <>
            {canDecide && !isOwn && (
              <>
                <Button onClick={() => decide('approve', 'Approved. It runs now')}>Approve{who}</Button>
                <Button variant="quiet" onClick={() => decide('refuse', 'Refused')}>
                  Refuse{who}
                </Button>
              </>
            )}
            {(isOwn || !canDecide) && (
              <Button variant="quiet" onClick={() => decide('cancel', 'Cancelled')}>
                Cancel{who}
              </Button>
            )}
          </>
        }
      />
      {dialog}
    </>
  );
}
