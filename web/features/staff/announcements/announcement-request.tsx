import { useRevalidator } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { Announcement } from '#contract/staff/announcements.ts';
import { useAction } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { staffPath } from '../staff-paths.ts';
import { PageHeader } from '../ui/page-header.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { formatScope, stateNames, titleOf } from './announcement-labels.ts';
import { MailPreview } from './mail-preview.tsx';
import { Time } from '../ui/time.tsx';
import { useApprover } from '../use-rights.ts';

/** An announcement that waits for an approval or for its time. */
export function AnnouncementRequest({ one }: { one: Announcement }) {
  const { revalidate } = useRevalidator();
  const approver = useApprover();
  const { isBusy, run } = useAction();
  const { id, version, state, subject, text, scope, replyName, recipients, runsAt, sendAt } = one;
  const isScheduled = state === 'scheduled';
  const params = { id };

  async function cancel() {
    if (isScheduled) await callApi('POST /api/staff/announcements/{id}/stop', { params });
    else {
      // Every save cancels the request.
      const body = { subject, text, scope, replyName, version };
      await callApi('PUT /api/staff/announcements/{id}', { params, body });
    }
    await revalidate();
  }

  return (
    <>
      <PageHeader
        title={titleOf(one)}
        lead={
          <>
            {formatScope(scope)} · {formatPeople(recipients)}
          </>
        }
        back={{ to: staffPath('announcements'), label: 'Announcements' }}
        actions={
          <Button variant="quiet" busy={isBusy && 'Cancelling...'} onClick={() => run(cancel)}>
            {isScheduled ? 'Cancel the sending and edit' : 'Cancel the request and edit'}
          </Button>
        }
      />
      <p className="flex max-w-[66ch] flex-wrap items-center gap-3">
        <StatusPill tone="brand">{stateNames[state]}</StatusPill>
        <span>
          {isScheduled && sendAt !== null ? (
            <>
              It will be sent on <Time of={sendAt} /> to those who are recipients then.
            </>
          ) : runsAt === null ? (
            <>
              It will be sent when {approver} approves it under Approvals
              {sendAt !== null && (
                <>
                  , not before <Time of={sendAt} />
                </>
              )}
              .
            </>
          ) : (
            <>
              No one else can approve it. It will be sent on <Time of={runsAt} /> unless a member of staff cancels it.
            </>
          )}
        </span>
      </p>
      <div className="grid max-w-xl">
        <MailPreview one={one} />
      </div>
    </>
  );
}
