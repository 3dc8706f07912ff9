/** The pages of this feature, which travel together: who opens one soon needs another. */
export { OnboardingPage } from './onboarding-page.tsx';
