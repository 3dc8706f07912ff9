export { AccountPage, accountLoader } from './account-page.tsx';
export { settingsLoader } from './settings-data.ts';
export { SettingsPage } from './settings-page.tsx';
