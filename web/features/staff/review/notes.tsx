import { type SubmitEvent, use, useRef, useState } from 'react';
import { fieldLengths } from '#contract/field-lengths.ts';
import type { ReviewNote } from '#contract/staff/review.ts';
import { messageOf } from '#web/domain/messages.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextArea } from '#web/ui/field.tsx';
import { Key } from '../ui/key.tsx';
import { Section } from '../ui/section.tsx';
import { OpenItem } from './decision-bar.tsx';
import { itemOfKey } from './review-items.ts';

interface Props {
  itemKey: string;
  notes: readonly ReviewNote[];
  canAdd: boolean;
  onAdd: (note: ReviewNote) => void;
}

export function Notes({ itemKey, notes, canAdd, onAdd }: Props) {
  const [isWriting, setIsWriting] = useState(false);
  const { texts: typed } = use(OpenItem);
  const [text, setText] = useState(typed.get('note') ?? '');
  const [error, setError] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const opener = useRef<HTMLDivElement>(null);

  function change(value: string) {
    setText(value);
    typed.set('note', value);
  }

  async function send(event?: SubmitEvent) {
    event?.preventDefault();
    const params = itemOfKey(itemKey);
    if (!params || text.trim() === '') return setError('Write the note first.');
    setIsBusy(true);
    try {
      onAdd(await callApi('POST /api/staff/queue/{kind}/{id}/notes', { params, body: { text } }));
      change('');
      setError('');
      close();
    } catch (problem) {
      setError(messageOf(problemOf(problem)));
    }
    setIsBusy(false);
    return undefined;
  }

  function close() {
    setIsWriting(false);
    opener.current?.querySelector('button')?.focus();
  }

  return (
    <Section
      heading="Notes"
      aside={
        canAdd && (
          <div ref={opener}>
            <Button
              variant="bare"
              className="lg:-mr-4"
              aria-keyshortcuts="n m"
              aria-expanded={isWriting}
              onClick={() => setIsWriting(!isWriting)}
            >
              Add a note
              <Key of="n" />
            </Button>
          </div>
        )
      }
    >
      {notes.length > 0 && (
        <ul className="grid gap-3">
          {notes.map(({ id, by, createdAt, text: note }) => (
            <li key={id}>
              <p className="whitespace-pre-line wrap-anywhere">{note}</p>
              <p className="text-xs text-ink-soft">
                {by}, <Day of={createdAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {notes.length === 0 && !isWriting && <p className="text-sm text-ink-soft">No notes. Only staff see them.</p>}
      {isWriting && (
        <form className="grid gap-2" noValidate onSubmit={send}>
          <TextArea
            label="Note for other staff"
            rows={2}
            maxLength={fieldLengths.messageMax}
            // The user has just opened the form to write.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={text}
            error={error}
            onChange={({ target }) => change(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
              else if (event.key === 'Escape') {
                event.stopPropagation();
                close();
              }
            }}
          />
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="quiet" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" busy={isBusy && 'Saving...'}>
              Save the note
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}
