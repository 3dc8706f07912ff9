import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type DefaultValues, type FieldPath, type FieldValues, useForm, type UseFormReturn } from 'react-hook-form';
import type * as z from 'zod/mini';
import { runAfterClick } from './after-click.ts';

/** A form whose rules are the contract's, and the message to show under a field. */
export interface SchemaForm<Input extends FieldValues, Output> {
  form: UseFormReturn<Input, unknown, Output>;
  /**
   * What an input needs: name, handlers, reference, and its message. There is no field that may stay empty.
   * @param options.deps fields whose rules depend on this one: they are validated with it
   */
  field: (
    name: FieldPath<Input>,
    options?: { deps: FieldPath<Input>[] },
  ) => ReturnType<UseFormReturn<Input>['register']> & { 'aria-required': true; error: string | undefined };
}

/**
 * Validates on change and on blur, shows a message only once a field has been touched, and touches all of them on submit
 * (specification, section 5). The first wrong field takes the focus. Without
 * default values the form takes over what somebody has typed before the scripts came.
 * @param options.showAll treats every field as touched: somebody has tried to go on
 * @param options.stored what the fields hold at first; they are not touched again when it changes
 */
export function useSchemaForm<Schema extends z.ZodMiniType<unknown, FieldValues>>(
  schema: Schema,
  { showAll = false, stored }: { showAll?: boolean; stored?: object } = {},
): SchemaForm<z.input<Schema>, z.output<Schema>> {
  type Input = z.input<Schema>;
  const form = useForm<Input, unknown, z.output<Schema>>({
    mode: 'all',
    resolver: standardSchemaResolver(schema),
    ...(stored && { defaultValues: stored as DefaultValues<Input> }),
  });
  const { errors, touchedFields, isSubmitted } = form.formState;
  return {
    form,
    field: (name, options) => {
      const isTouched = showAll || isSubmitted || Boolean((touchedFields as Record<string, unknown>)[name]);
      const error = (errors as Record<string, { message?: string } | undefined>)[name];
      const { onBlur, ...input } = form.register(name, options);
      // In the HTML too: without scripts, stored values would look lost.
      const value = (stored as Record<string, string | undefined> | undefined)?.[name];
      return {
        ...input,
        ...(value !== undefined && { defaultValue: value }),
        // A message would move the button under the pointer between press and release, and the click would be lost.
        onBlur: async (event) => runAfterClick(() => void onBlur(event)),
        'aria-required': true,
        error: isTouched ? error?.message : undefined,
      };
    },
  };
}
