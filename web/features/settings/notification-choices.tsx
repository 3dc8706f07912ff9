import { useRef, useState } from 'react';
import type { NotificationChoices as Choices, OptionalNotificationKind } from '#contract/notifications.ts';
import { toastFailure } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { toast } from '#web/ui/toasts.ts';
import { Group } from '#web/ui/group.tsx';
import { Switch } from './switch.tsx';

const labels: Record<OptionalNotificationKind, { label: string; hint: string }> = {
  joined: {
    label: 'People from your department join',
    hint: 'Sent as one summary, for example “3 people from Computer Science joined the archive”.',
  },
  'photos-added': {
    label: 'People from your department add photos',
    hint: 'Sent as one summary. Your own photos are not included.',
  },
};

export function NotificationChoices({ choices: loaded }: { choices: Choices }) {
  const [choices, setChoices] = useState(loaded);
  const latest = useRef(loaded);
  const lastSave = useRef<Promise<unknown>>(Promise.resolve());

  function choose(kind: OptionalNotificationKind, isWanted: boolean) {
    const show = (is: boolean) => {
      latest.current = { ...latest.current, [kind]: is };
      setChoices(latest.current);
    };
    show(isWanted);
    // Saves run one after another, so that the last choice takes effect.
    lastSave.current = lastSave.current.then(async () => {
      try {
        await callApi('PUT /api/notifications/choices', { body: { [kind]: isWanted } });
        toast('success', 'Saved');
      } catch (error) {
        show(!isWanted);
        toastFailure(error);
      }
    });
  }

  return (
    <Group
      heading="Notify me when"
      hint="You are always notified about your account, for example when your password changes or someone signs in on a new device."
    >
      <fieldset aria-label="Notify me when" className="grid gap-6">
        {(Object.keys(labels) as OptionalNotificationKind[]).map((kind) => (
          <Switch
            key={kind}
            {...labels[kind]}
            label={reword(labels[kind].label)}
            isOn={choices[kind]}
            onToggle={(isOn) => choose(kind, isOn)}
          />
        ))}
      </fieldset>
    </Group>
  );
}
