import type { Choice } from '#web/domain/display-choices.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { saveTheme } from '#web/domain/theme.ts';
import { Group } from '#web/ui/group.tsx';

const labels: Record<Choice<'theme'>, string> = { system: 'Same as device', light: 'Light', dark: 'Dark' };

export function Appearance() {
  const { theme: chosen } = useRootData();
  return (
    <Group heading="Theme" hint="Saved in this browser only.">
      <fieldset aria-label="Theme" className="max-w-[400px] divide-y divide-line">
        {(Object.keys(labels) as Choice<'theme'>[]).map((theme) => (
          <label key={theme} className="flex min-h-12 items-center gap-3">
            <input
              type="radio"
              name="theme"
              className="size-5 shrink-0 accent-brand"
              defaultChecked={theme === chosen}
              onChange={() => saveTheme(theme)}
            />
            {labels[theme]}
          </label>
        ))}
      </fieldset>
    </Group>
  );
}
