import type { RouteObject } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { createLazyRoutes } from '#web/platform/lazy-routes.ts';
import type { PageHandle } from '#web/platform/page-handle.ts';

const createRoute = createLazyRoutes('identity', () => import('./pages.ts'));

const createHandle = (title: string, isPublic = false): PageHandle => ({ title, frame: 'bare', isPublic });

export const identityRoutes: RouteObject[] = [
  createRoute(paths.login, createHandle('Sign in', true), { loader: 'loginLoader', Component: 'LoginPage' }),
  createRoute(paths.signUp, createHandle('Sign up', true), { loader: 'requireGuest', Component: 'SignUpPage' }),
  createRoute(paths.resetPassword, createHandle('Reset password', true), {
    loader: 'requireGuest',
    Component: 'ResetPasswordPage',
  }),
  createRoute(paths.sendVerification, createHandle('Verify your email'), {
    loader: 'verificationLoader',
    Component: 'SendVerificationPage',
  }),
  createRoute(paths.verifyEmail, createHandle('Email verification'), { Component: 'VerifyEmailPage' }),
  createRoute(paths.newPassword, createHandle('New password'), { Component: 'NewPasswordPage' }),
  createRoute(paths.recoverEmail, createHandle('Recover your email address'), { Component: 'RecoverEmailPage' }),
  createRoute(paths.campus, createHandle('Your university account'), {
    loader: 'campusLoader',
    Component: 'CampusPage',
  }),
  createRoute('/auth/verify', '', { loader: 'redirectByMode' }),
  createRoute('/auth/action', '', { loader: 'redirectByMode' }),
];
