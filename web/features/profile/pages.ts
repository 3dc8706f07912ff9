export { UserPage } from './user-page.tsx';
export { myProfileLoader } from './my-profile-loader.ts';
export { MyProfilePage } from './my-profile-page.tsx';
