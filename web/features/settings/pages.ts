/** The pages of this feature, which travel together. */
export { settingsLoader } from './settings-data.ts';
export { SettingsPage } from './settings-page.tsx';
