import * as z from 'zod/mini';
import { Email, NewPassword, Password } from '#contract/fields.ts';
import { Confirmation, withConfirmation } from '../../domain/password-confirmation.ts';

export const SignInForm = z.object({ email: Email, password: Password });
export const SignUpForm = withConfirmation({ email: Email, password: NewPassword, confirmPassword: Confirmation });
export const ResetRequestForm = z.object({ email: Email });
export const NewPasswordForm = withConfirmation({ password: NewPassword, confirmPassword: Confirmation });
