import { useState } from 'react';
import { useNavigate } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import type { Problem } from '#contract/problem.ts';
import type { Announcement } from '#contract/staff/announcements.ts';
import { messageOf } from '#web/domain/messages.ts';
import { PasswordDialog } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError, TextArea, TextField } from '#web/ui/field.tsx';
import { staffPath } from '../staff-paths.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { titleOf } from './announcement-labels.ts';
import { MailPreview } from './mail-preview.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { SendAnnouncement } from './send-announcement.tsx';
import { useDraft } from './use-draft.ts';

interface Props {
  loaded: Announcement;
  colleges: InstitutionFacts['colleges'];
}

export function AnnouncementEditor({ loaded, colleges }: Props) {
  const { draft, stored, isDirty, failure, change, save } = useDraft(loaded);
  const { recipients } = stored;
  return (
    <>
      <PageHeader
        title={titleOf(draft)}
        back={{ to: staffPath('announcements'), label: 'Announcements' }}
        actions={<DeleteDraft id={loaded.id} />}
      />
      {loaded.failure !== '' && <FieldError>The announcement was not sent. {loaded.failure}</FieldError>}
      <div className="grid gap-8 lg:grid-cols-2">
        <div className="grid min-w-0 content-start gap-6">
          <ScopeFields scope={draft.scope} colleges={colleges} onChange={(scope) => change({ scope })} />
          <div className="grid gap-4">
            <TextField
              label="Subject"
              value={draft.subject}
              maxLength={fieldLengths.announcementSubjectMax}
              onChange={({ target }) => change({ subject: target.value })}
            />
            <TextArea
              label="Text"
              hint="Separate paragraphs with an empty line. **Bold**, [label](https://address), and lines that begin with a hyphen become formatting, web addresses links. Each email begins with the recipient’s name."
              rows={12}
              value={draft.text}
              maxLength={fieldLengths.announcementMax}
              onChange={({ target }) => change({ text: target.value })}
            />
            <TextField
              label="Name for replies (optional)"
              hint="Replies go to the address of the archive, under this name."
              value={draft.replyName ?? ''}
              maxLength={fieldLengths.replyNameMax}
              onChange={({ target }) => change({ replyName: target.value })}
            />
          </div>
          <div className="grid gap-3">
            <p className="flex flex-wrap justify-between gap-x-4">
              <span className="nums" aria-live="polite">
                <b>{formatPeople(recipients)}</b> {recipients === 1 ? 'gets' : 'get'} it
              </span>
              <span role="status" className="text-sm text-ink-soft">
                {failure ? 'Not saved' : isDirty ? 'Saving...' : 'Saved as a draft'}
              </span>
            </p>
            {failure && <SaveFailure problem={failure} save={save} />}
            <SendAnnouncement draft={draft} save={save} />
          </div>
        </div>
        <MailPreview one={stored} />
      </div>
    </>
  );
}

/** Before another attempt, the password may have to be entered. */
function SaveFailure({ problem, save }: { problem: Problem; save: () => Promise<unknown> }) {
  const [isAsking, setIsAsking] = useState(false);
  const needsPassword = problem.code === 'auth/requires-recent-login';
  return (
    <div className="grid justify-items-start gap-2">
      <FieldError>{messageOf(problem)}</FieldError>
      <Button variant="quiet" onClick={() => (needsPassword ? setIsAsking(true) : void save())}>
        {needsPassword ? 'Enter your password' : 'Try again'}
      </Button>
      {isAsking && (
        <PasswordDialog
          onClose={() => setIsAsking(false)}
          onTyped={async () => {
            setIsAsking(false);
            await save();
          }}
        />
      )}
    </div>
  );
}

function DeleteDraft({ id }: { id: string }) {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      label="Delete draft"
      title="Delete this draft?"
      action="Delete"
      busy="Deleting..."
      onConfirm={async () => {
        await callApi('DELETE /api/staff/announcements/{id}', { params: { id } });
        await navigate(staffPath('announcements'));
      }}
    >
      <p>This cannot be undone.</p>
    </ConfirmButton>
  );
}
