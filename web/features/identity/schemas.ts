import * as z from 'zod/mini';
import { Email, NewPassword, Password } from '#contract/fields.ts';
import { texts } from '#contract/texts.ts';

const withConfirmation = <Shape extends { password: typeof NewPassword; confirmPassword: z.ZodMiniString }>(
  shape: Shape,
) =>
  z.object(shape).check(
    z.refine(
      (values) => {
        const { password, confirmPassword } = values as { password: string; confirmPassword: string };
        return confirmPassword === '' || password === confirmPassword;
      },
      { error: texts.passwordsDiffer, path: ['confirmPassword'], when: () => true },
    ),
  );

const Confirmation = z.string().check(z.minLength(1, texts.empty));

export const SignInForm = z.object({ email: Email, password: Password });
export const SignUpForm = withConfirmation({ email: Email, password: NewPassword, confirmPassword: Confirmation });
export const ResetRequestForm = z.object({ email: Email });
export const NewPasswordForm = withConfirmation({ password: NewPassword, confirmPassword: Confirmation });
