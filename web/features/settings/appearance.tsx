import type { Choice } from '#web/domain/display-choices.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { saveTheme } from '#web/domain/theme.ts';

const labels: Record<Choice<'theme'>, string> = { system: 'Same as device', light: 'Light', dark: 'Dark' };

export function Appearance() {
  const { theme: chosen } = useRootData();
  return (
    <fieldset className="max-w-[400px]">
      <legend className="text-lg font-bold">Theme</legend>
      <p className="mt-2 mb-6 text-sm text-ink-soft">Saved in this browser only.</p>
      {(Object.keys(labels) as Choice<'theme'>[]).map((theme) => (
        <label key={theme} className="flex min-h-12 items-center gap-3 border-t border-line">
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
  );
}
