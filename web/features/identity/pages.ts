export { campusLoader, loginLoader, redirectByMode, requireGuest, verificationLoader } from './loaders.ts';
export { CampusPage } from './campus-page.tsx';
export { LoginPage } from './login-page.tsx';
export { SignUpPage } from './sign-up-page.tsx';
export { SendVerificationPage } from './send-verification-page.tsx';
export { VerifyEmailPage } from './verify-email-page.tsx';
export { ResetPasswordPage } from './reset-password-page.tsx';
export { NewPasswordPage } from './new-password-page.tsx';
export { RecoverEmailPage } from './recover-email-page.tsx';
