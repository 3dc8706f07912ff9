import { type Choice, saveChoice } from './display-choices.ts';

type Theme = Choice<'theme'>;

/** Colours of the browser's own bars in each theme: `--color-raised`, because the header is below them. */
const barColors = { light: '#fffefd', dark: '#211d18' };

const systemThemes = ['light', 'dark'] as const;

/** Returns one element for each theme of the system. A theme that the user has chosen colours both. */
export const listBarColors = (theme: Theme): { media: string; color: string }[] =>
  systemThemes.map((systemTheme) => ({
    media: `(prefers-color-scheme:${systemTheme})`,
    color: barColors[theme === 'system' ? systemTheme : theme],
  }));

export function saveTheme(theme: Theme): void {
  saveChoice('theme', theme);
  document.documentElement.dataset['theme'] = theme;
  for (const { media, color } of listBarColors(theme))
    document.querySelector(`meta[name=theme-color][media="${media}"]`)?.setAttribute('content', color);
}
