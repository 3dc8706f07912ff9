/** The pages of this feature, in one chunk. */
export { settingsLoader } from './settings-data.ts';
export { SettingsPage } from './settings-page.tsx';
