/** The pages of this feature, in one chunk: a visitor who opens one of them usually opens another one soon. */
export { HomePage } from './home-page.tsx';
export { welcomeLoader } from './welcome.ts';
export { TermsPage } from './terms-page.tsx';
export { PrivacyPage } from './privacy-page.tsx';
export { privacyLoader } from './privacy-facts.ts';
