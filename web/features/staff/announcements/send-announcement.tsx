import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { announcementApprovalAbove, sendLaterDays, soleOwnerHours } from '#contract/staff/values.ts';
import type { Announcement, AnnouncementDraft } from '#contract/staff/announcements.ts';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { useApprover } from '../use-rights.ts';
import { formatDuration, formatScope } from './announcement-labels.ts';

interface Props {
  draft: AnnouncementDraft;
  save: () => Promise<Announcement | null>;
}

export function SendAnnouncement({ draft, save }: Props) {
  const { revalidate } = useRevalidator();
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const user = useUser();
  const [asked, setAsked] = useState<Announcement | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isWritten = draft.subject.trim() !== '' && draft.text.trim() !== '';

  const send = async ({ id, version }: Announcement, sendAt: string | undefined) =>
    runWithPassword(async () => {
      const { result } = await callApi('POST /api/staff/announcements/{id}/send', {
        params: { id },
        body: { version, sendAt },
      });
      toast('success', resultTexts[result]);
      await revalidate();
    });

  async function sendTest() {
    const saved = await save();
    if (!saved) return;
    await runWithPassword(async () => {
      await callApi('POST /api/staff/announcements/{id}/test', { params: { id: saved.id } });
      toast('success', `A test email to ${user?.email} is on its way`);
    });
  }

  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          disabled={!isWritten}
          busy={isBusy && 'Saving...'}
          onClick={async () => {
            setIsBusy(true);
            setAsked(await save());
            setIsBusy(false);
          }}
        >
          Send...
        </Button>
        <Button variant="quiet" disabled={!isWritten} onClick={() => void sendTest()}>
          Send a test to me
        </Button>
        {!isWritten && <p className="text-sm text-ink-soft">Write a subject and a text first.</p>}
      </div>
      {asked &&
        (asked.recipients === 0 ? (
          <ConfirmDialog
            title="This announcement has no recipients"
            action="Change the recipients"
            busy=""
            variant="strong"
            onClose={() => setAsked(null)}
            onConfirm={async () => setAsked(null)}
          >
            <p>No member of this part of the institution gets announcements.</p>
          </ConfirmDialog>
        ) : (
          <SendDialog
            one={asked}
            onClose={() => setAsked(null)}
            onConfirm={async (sendAt) => {
              setAsked(null);
              await send(asked, sendAt);
            }}
          />
        ))}
      {dialog}
    </>
  );
}

interface DialogProps {
  one: Announcement;
  onClose: () => void;
  onConfirm: (sendAt: string | undefined) => Promise<void>;
}

const resultTexts = {
  sending: 'Sending has begun',
  scheduled: 'Scheduled',
  requested: 'Approval requested. See it under Approvals',
};

function SendDialog({ one: { subject, scope, recipients, needsApproval }, onClose, onConfirm }: DialogProps) {
  const [sendAt, setSendAt] = useState('');
  const people = formatPeople(recipients);
  const approver = useApprover();
  const duration = formatDuration(recipients);
  return (
    <ConfirmDialog
      title={needsApproval ? `Request approval to email ${people}?` : `Send this to ${people}?`}
      action={needsApproval ? 'Request approval' : sendAt === '' ? `Send to ${people}` : 'Schedule'}
      busy={needsApproval ? 'Requesting...' : 'Sending...'}
      variant="strong"
      onClose={onClose}
      // The field has the time of the viewer's zone.
      onConfirm={() => onConfirm(sendAt === '' ? undefined : new Date(sendAt).toISOString())}
    >
      <p>
        <b>{subject}</b>
        <br />
        <span className="text-ink-soft">{formatScope(scope)}</span>
      </p>
      <TextField
        label="Send later (optional)"
        hint={`In your time zone, in the next ${sendLaterDays} days. The recipients are found when it is sent.`}
        type="datetime-local"
        value={sendAt}
        onChange={({ target }) => setSendAt(target.value)}
      />
      {needsApproval ? (
        <>
          <p>
            Writing to more than {announcementApprovalAbove} people within 24 hours needs the approval of {approver},
            who reads this text.{duration !== '' && ` After the approval, sending takes ${duration}.`}
          </p>
          <p>
            If you change the text, the request is cancelled. If no one else can approve it, the announcement is sent
            after {soleOwnerHours} hours unless a member of staff cancels it.
          </p>
        </>
      ) : (
        <p>
          {sendAt !== ''
            ? 'Until then, you can cancel the sending and change the draft.'
            : duration === ''
              ? `${recipients === 1 ? 'The email is' : 'The emails are'} usually sent within ten minutes and cannot be taken back.`
              : `The first emails are sent within ten minutes. Sending all of them takes ${duration}, longer if another announcement is being sent. You can stop it, but emails that have been sent cannot be taken back.`}
        </p>
      )}
    </ConfirmDialog>
  );
}
