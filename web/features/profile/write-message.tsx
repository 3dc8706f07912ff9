import { useId } from 'react';
import * as z from 'zod/mini';
import { Message } from '#contract/contact.ts';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import type { Problem } from '#contract/problem.ts';
import { RestoredDraft } from '#web/domain/restored-draft.tsx';
import { defineForm } from '#web/domain/define-form.ts';
import { messageOf } from '#web/domain/messages.ts';
import { useUser } from '#web/domain/root-data.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { FieldError, TextArea } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useForm } from '#web/ui/use-form.ts';

interface Props {
  id: string;
  name: string;
  isAnswerable: boolean;
  isOwnEmailOnProfile: boolean;
  isTheirEmailOnProfile: boolean;
  /** Null if the user did not write to the person in the last 30 days. */
  lastWrittenAt: string | null;
  /** Survives closing the dialog, for example by an accidental Escape. */
  draft: Message;
  isRestored: boolean;
  onDraftChange: (draft: Message) => void;
  /** Runs when the recipient no longer accepts messages. */
  onRefused: () => Promise<void>;
  onSent: () => void;
  onClose: () => void;
}

const MessageForm = z.pick(Message, { text: true });

const createMessageForm = (id: string) =>
  defineForm<{ text: string }>({
    schema: MessageForm,
    send: async (call, { text }, { shareEmail }) => {
      const body = { text, shareEmail: shareEmail !== undefined };
      await call('POST /api/users/{id}/messages', { params: { id }, body });
      return {};
    },
    explain: (problem) => ({ formError: toErrorMessage(problem) }),
  });

const emptyMessage: Message = { text: '', shareEmail: false };

const announcedCharactersLeft = 100;

export default function WriteMessage({
  id,
  name,
  isAnswerable,
  isOwnEmailOnProfile,
  isTheirEmailOnProfile,
  lastWrittenAt,
  draft,
  isRestored,
  onDraftChange,
  onRefused,
  onSent,
  onClose,
}: Props) {
  const { text, shareEmail } = draft;
  const charactersLeft = fieldLengths.messageMax - countCodePoints(text);
  const form = useForm(createMessageForm(id), {
    onSent: () => {
      toast('success', `Your message to ${name} was sent`);
      onDraftChange(emptyMessage);
      onSent();
      onClose();
    },
    onFailed: ({ code }) => (code === 'permission-denied' || code === 'not-found') && onRefused(),
  });
  const formError = form.result?.formError;

  return (
    <Dialog onClose={onClose} title={`Write to ${name}`}>
      <form className="grid gap-4" method="dialog" {...form.props}>
        {lastWrittenAt !== null && (
          <p className="text-sm text-ink-soft">
            You last wrote to them on <Day of={lastWrittenAt} />.
          </p>
        )}
        {isRestored && <RestoredDraft onDiscard={() => onDraftChange(emptyMessage)} />}
        <TextArea
          label="Message"
          rows={6}
          hint={
            <span className="nums">{`${countCodePoints(text).toLocaleString('en')} of ${fieldLengths.messageMax.toLocaleString('en')} characters`}</span>
          }
          {...form.field('text')}
          value={text}
          onChange={({ target }) => onDraftChange({ text: target.value, shareEmail })}
        />
        <p role="status" className="sr-only">
          {charactersLeft <= announcedCharactersLeft &&
            (charactersLeft >= 0 ? `${charactersLeft} characters left` : `${-charactersLeft} characters too many`)}
        </p>
        <label className="flex min-h-11 items-start gap-3">
          <input
            type="checkbox"
            name="shareEmail"
            className="mt-0.5 size-5 shrink-0 accent-brand"
            checked={shareEmail}
            onChange={({ target }) => onDraftChange({ text, shareEmail: target.checked })}
          />
          Show my email address so that they can reply directly
        </label>
        <RecipientPreview
          {...{ name, isAnswerable, isOwnEmailOnProfile, isTheirEmailOnProfile }}
          isEmailShared={shareEmail}
        />
        <div role="alert">{formError && <FieldError>{formError}</FieldError>}</div>
        <DialogButtons onCancel={onClose}>
          <Button type="submit" busy={form.busy('Sending...')}>
            Send
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

interface RecipientPreviewProps extends Pick<
  Props,
  'name' | 'isAnswerable' | 'isOwnEmailOnProfile' | 'isTheirEmailOnProfile'
> {
  isEmailShared: boolean;
}

function RecipientPreview({
  name,
  isAnswerable,
  isOwnEmailOnProfile,
  isTheirEmailOnProfile,
  isEmailShared,
}: RecipientPreviewProps) {
  const user = useUser();
  const id = useId();
  return (
    <section aria-labelledby={id} aria-live="polite" className="grid gap-1 rounded-card bg-wash p-4 text-sm">
      <h3 id={id} className="font-semibold wrap-anywhere">
        What {name} will receive
      </h3>
      {isEmailShared ? (
        <p>
          An email from the archive with your name, a link to your profile, this message and your email address,{' '}
          <strong className="font-semibold wrap-anywhere">{user?.email}</strong>.
          {!isTheirEmailOnProfile && ' If they reply to that email, you see their address.'}
        </p>
      ) : (
        <p>
          An email from the archive with your name, a link to your profile and this message.{' '}
          {isOwnEmailOnProfile
            ? 'It does not contain your email address, but your profile shows it to members. You can change this in the settings under Privacy.'
            : 'They do not see your email address.'}
        </p>
      )}
      <p>
        {isTheirEmailOnProfile ? 'Their profile shows you their email address.' : 'You do not see their email address.'}
      </p>
      <p>
        {isAnswerable
          ? `They can reply to you in the archive${isTheirEmailOnProfile ? '.' : ' without showing their address.'}`
          : 'You do not accept messages, so they cannot reply to you in the archive.'}
      </p>
    </section>
  );
}

/** The server does not reveal whether the sender's or the recipient's rate limit was reached. */
function toErrorMessage(problem: Problem): string {
  const { code, detail, retryAfter = 0 } = problem;
  if (code === 'auth/too-many-requests') {
    const hours = Math.ceil(retryAfter / 3600);
    return `This message cannot be sent right now. Try again in ${hours === 1 ? 'an hour' : `${hours} hours`}. Your text stays here while this page is open.`;
  }
  if (code === 'not-found') return 'This person is no longer in the archive.';
  return detail ?? messageOf(problem);
}
