import * as z from 'zod/mini';
import type { NewPassword } from '#contract/fields.ts';
import { texts } from '#contract/texts.ts';

export const Confirmation = z.string().check(z.minLength(1, texts.empty));

export const withConfirmation = <Shape extends { password: typeof NewPassword; confirmPassword: z.ZodMiniString }>(
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
