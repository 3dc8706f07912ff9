import { useRef, useState } from 'react';
import { Link, useLoaderData } from 'react-router';
import type { Call } from '#contract/call.ts';
import type { BlockedPerson, ContactChoices } from '#contract/contact.ts';
import { paths } from '#web/domain/paths.ts';
import { toastFailure } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toasts.ts';
import { Group } from '#web/ui/group.tsx';
import { Switch } from './switch.tsx';

export interface MessageSettings {
  readonly choices: ContactChoices;
  readonly blocked: readonly BlockedPerson[];
}

export async function loadMessageSettings(call: Call): Promise<MessageSettings> {
  const [choices, { people }] = await Promise.all([call('GET /api/contact/choices'), call('GET /api/blocks')]);
  return { choices, blocked: people };
}

export function Messages() {
  const { messages: loaded } = useLoaderData<{ messages: MessageSettings }>();
  const [choices, setChoices] = useState(loaded.choices);
  const saved = useRef(loaded.choices);
  const [blocked, setBlocked] = useState(loaded.blocked);
  const lastSave = useRef<Promise<unknown>>(Promise.resolve());
  const focusLater = useFocusLater();

  function choose(change: Partial<ContactChoices>) {
    setChoices((before) => ({ ...before, ...change }));
    // Saves run one after another, so that the last choice takes effect.
    lastSave.current = lastSave.current.then(async () => {
      try {
        await callApi('PUT /api/contact/choices', { body: change });
        saved.current = { ...saved.current, ...change };
        toast('success', 'Saved');
      } catch (error) {
        setChoices(saved.current);
        toastFailure(error);
      }
    });
  }

  async function unblock({ id, name }: BlockedPerson) {
    try {
      await callApi('DELETE /api/blocks/{id}', { params: { id } });
      setBlocked((people) => people.filter((one) => one.id !== id));
      focusLater('#messages');
      toast('success', `${name ?? 'This person'} is no longer blocked`);
    } catch (error) {
      toastFailure(error);
    }
  }

  return (
    <Group heading="Messages" id="messages">
      <Switch
        label="Members can write to me"
        hint="You receive their messages by email from the archive. The emails show no one’s address, unless the sender chooses to show theirs."
        isOn={choices.takesMessages}
        onToggle={(takesMessages) => choose({ takesMessages })}
      />
      <Link className="link -my-2.5 inline-flex min-h-11 items-center justify-self-start" to={paths.messages}>
        Messages you sent and received
      </Link>
      <Switch
        label="Announcements of the alumni office"
        hint="You receive them by email, for example invitations to a reunion. Emails about your account are sent in any case."
        isOn={choices.takesAnnouncements}
        onToggle={(takesAnnouncements) => choose({ takesAnnouncements })}
      />
      {blocked.length > 0 && (
        <div>
          <h3 className="mb-1 font-semibold">Blocked people</h3>
          <p className="mb-2 text-sm text-ink-soft">
            They cannot write to you. They are not notified that you blocked them.
          </p>
          <ul>
            {blocked.map((person) => (
              <li
                key={person.id}
                className="flex min-h-12 flex-wrap items-center justify-between gap-3 border-t border-line py-1 first:border-0"
              >
                <span className="min-w-0 wrap-anywhere">{person.name ?? 'A person with a hidden profile'}</span>
                <Button
                  variant="quiet"
                  aria-label={`Unblock ${person.name ?? 'a person with a hidden profile'}`}
                  onClick={() => void unblock(person)}
                >
                  Unblock
                </Button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Group>
  );
}
