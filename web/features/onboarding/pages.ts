/** The pages of this feature, in one chunk: a visitor who opens one of them usually opens another one soon. */
export { onboardingLoader, shouldRevalidate } from './onboarding-data.ts';
export { OnboardingPage } from './onboarding-page.tsx';
