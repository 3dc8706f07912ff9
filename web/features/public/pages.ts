export { HomePage } from './home-page.tsx';
export { welcomeLoader } from './welcome.ts';
export { TermsPage } from './terms-page.tsx';
export { PrivacyPage } from './privacy-page.tsx';
export { privacyLoader } from './privacy-facts.ts';
