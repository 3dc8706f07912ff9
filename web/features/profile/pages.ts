/** The pages of this feature, in one chunk: a visitor who opens one of them usually opens another one soon. */
export { UserPage } from './user-page.tsx';
export { myProfileLoader } from './my-profile-loader.ts';
export { MyProfilePage } from './my-profile-page.tsx';
