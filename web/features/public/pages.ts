/** The pages of this feature, which travel together: who opens one soon needs another. */
export { HomePage } from './home-page.tsx';
export { welcomeLoader } from './welcome.ts';
export { TermsPage } from './terms-page.tsx';
export { PrivacyPage } from './privacy-page.tsx';
export { privacyLoader } from './privacy-facts.ts';
