export { onboardingLoader, shouldRevalidate } from './onboarding-data.ts';
export { OnboardingPage } from './onboarding-page.tsx';
