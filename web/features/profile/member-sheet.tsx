import { useCallback, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import type { Contact, Message } from '#contract/contact.ts';
import type { Profile } from '#contract/profile.ts';
import { useDraft } from '#web/domain/drafts.ts';
import { LeaveGuard } from '#web/domain/leave-guard.tsx';
import { paths, withParam } from '#web/domain/paths.ts';
import { fullName } from '#web/domain/people.ts';
import { ReportLink } from '#web/domain/report/report-link.tsx';
import { toastFailure } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toasts.ts';
import { findHelpSentence } from './ask-for-help.ts';
import { ProfileSheet } from './profile-sheet.tsx';

/** As in links of mails: `/user/{id}?write`. */
export const hasWriteParam = (search: string): boolean => new URLSearchParams(search).has('write');

const emptyMessage: Message = { text: '', shareEmail: false };

export function MemberSheet({ profile }: { profile: Profile }) {
  const { id } = profile;
  const name = fullName(profile.name);
  const { contact, reload } = useContact(id);
  const messageDialog = useLazyComponent(() => import('./write-message.tsx'));
  const blockDialog = useLazyComponent(() => import('./block-person.tsx'));
  const [draft, setDraft] = useState(emptyMessage);
  const stored = useDraft<Message>(`message-${id}`, setDraft);
  const focusLater = useFocusLater();
  useOpenWriteLink(contact, messageDialog.open, stored.isRestored);
  const removeWriteParam = useRemoveWriteParam();
  const sentence = findHelpSentence(new URLSearchParams(useLocation().search).get('write'));
  useEffect(() => {
    if (sentence !== '') setDraft((now) => (now.text === '' ? { ...now, text: sentence } : now));
  }, [sentence]);

  function saveDraft(message: Message) {
    setDraft(message);
    if (message.text === '') stored.discard();
    else stored.save(message);
  }

  async function unblock() {
    try {
      await callApi('DELETE /api/blocks/{id}', { params: { id } });
      focusLater('[data-contact="write"], [data-contact="block"]');
      await reload();
      toast('success', `${name} is no longer blocked`);
    } catch (error) {
      toastFailure(error);
    }
  }

  return (
    <>
      <ProfileSheet
        profile={profile}
        actions={
          <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
            <ContactActions
              name={name}
              contact={contact}
              onWrite={messageDialog.open}
              onUnblock={unblock}
              onRetry={reload}
            />
          </div>
        }
        career={{ helps: typeof contact === 'object' && contact.canWrite ? 'buttons' : 'none' }}
        footer={
          <div className="flex flex-wrap items-center gap-x-6 text-sm print:hidden">
            {typeof contact === 'object' && !contact.isBlocked && (
              <button
                type="button"
                data-contact="block"
                aria-haspopup="dialog"
                className="min-h-11 text-ink-soft underline underline-offset-4 hover:text-ink"
                onClick={blockDialog.open}
              >
                Block this person
              </button>
            )}
            <ReportLink id={id} name={name} />
          </div>
        }
      />
      {messageDialog.Part && typeof contact === 'object' && (
        <messageDialog.Part
          id={id}
          name={name}
          isAnswerable={contact.ownReach === 'open'}
          isOwnEmailOnProfile={contact.isOwnEmailShown}
          isTheirEmailOnProfile={contact.isTheirEmailShown}
          lastWrittenAt={contact.lastWrittenAt}
          draft={draft}
          isRestored={stored.isRestored}
          onDraftChange={saveDraft}
          onRefused={reload}
          onSent={() => void reload()}
          onClose={() => {
            messageDialog.close();
            if (draft.text === sentence) saveDraft(emptyMessage);
            removeWriteParam();
          }}
        />
      )}
      <LeaveGuard isEdited={draft.text !== '' && draft.text !== sentence} onLeave={() => saveDraft(emptyMessage)} />
      {blockDialog.Part && (
        <blockDialog.Part
          id={id}
          name={name}
          onClose={blockDialog.close}
          onBlocked={async () => {
            focusLater('[data-contact="unblock"]');
            await reload();
            // The Unblock button is at the top of the page, far above the pressed button.
            scrollTo(0, 0);
          }}
        />
      )}
    </>
  );
}

type ContactState = Contact | 'asking' | 'failed';

/** Fetched separately, to keep the profile response small. */
function useContact(id: string): { contact: ContactState; reload: () => Promise<void> } {
  const [contact, setContact] = useState<ContactState>('asking');
  const reload = useCallback(
    () =>
      callApi('GET /api/users/{id}/contact', { params: { id } }).then(setContact, () =>
        setContact((known) => (typeof known === 'object' ? known : 'failed')),
      ),
    [id],
  );
  useEffect(() => void reload(), [reload]);
  return { contact, reload };
}

/**
 * Opens the message form for a `?write` link or a restored draft, once the server confirms that the viewer can write.
 */
function useOpenWriteLink(contact: ContactState, open: () => void, isRestored: boolean): void {
  const { search, key } = useLocation();
  const openedKey = useRef<string>(null);
  const shouldOpen = (hasWriteParam(search) || isRestored) && typeof contact === 'object' && contact.canWrite;
  useEffect(() => {
    if (!shouldOpen || openedKey.current === key) return;
    openedKey.current = key;
    // When the dialog closes, it returns the focus to this button.
    document.querySelector<HTMLElement>('[data-contact="write"]')?.focus({ preventScroll: true });
    open();
  }, [shouldOpen, key, open]);
}

function useRemoveWriteParam(): () => void {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    if (hasWriteParam(search)) void navigate(pathname, { replace: true, preventScrollReset: true });
  };
}

interface ContactActionsProps {
  name: string;
  contact: ContactState;
  onWrite: () => void;
  onUnblock: () => Promise<void>;
  onRetry: () => Promise<void>;
}

function ContactActions({ name, contact, onWrite, onUnblock, onRetry }: ContactActionsProps) {
  if (contact === 'asking') return null;
  if (contact === 'failed') {
    return (
      <>
        We could not load this. Check your connection.
        <Button variant="quiet" onClick={() => void onRetry()}>
          TRY AGAIN
        </Button>
      </>
    );
  }
  if (contact.isBlocked) {
    return (
      <>
        You have blocked {name}.
        <Button variant="quiet" data-contact="unblock" onClick={() => void onUnblock()}>
          Unblock
        </Button>
      </>
    );
  }
  if (contact.canWrite) {
    return (
      <Button data-contact="write" aria-haspopup="dialog" className="max-sm:grow" onClick={onWrite}>
        Write a message
      </Button>
    );
  }
  if (contact.ownReach === 'hidden') {
    return (
      <>
        Your profile is hidden from members, so you cannot write to them.
        <Link className="link inline-flex min-h-11 items-center" to={withParam(paths.settings, 'section', 'privacy')}>
          Privacy settings
        </Link>
      </>
    );
  }
  return <p>This person does not accept messages.</p>;
}
