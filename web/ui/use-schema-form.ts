import { standardSchemaResolver } from '@hookform/resolvers/standard-schema';
import { type DefaultValues, type FieldPath, type FieldValues, useForm, type UseFormReturn } from 'react-hook-form';
import type * as z from 'zod/mini';
import { runAfterClick } from './after-click.ts';

export interface SchemaForm<Input extends FieldValues, Output> {
  form: UseFormReturn<Input, unknown, Output>;
  /**
   * Returns the props of an input: name, event handlers, ref, and the error message. All fields are required.
   * @param options.deps fields that are validated together with this one
   */
  field: (
    name: FieldPath<Input>,
    options?: { deps: FieldPath<Input>[] },
  ) => ReturnType<UseFormReturn<Input>['register']> & { 'aria-required': true; error: string | undefined };
}

/**
 * Creates a form that validates on change and on blur (specification, section 5). A field shows its error once it was
 * touched; a submit touches all fields and moves the focus to the first invalid one. Without default values the form
 * keeps what the user typed before hydration.
 * @param options.showAll shows the errors of all fields, touched or not
 * @param options.stored the initial values; later changes of this object have no effect
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
      // The values are also in the HTML, so that browsers without JavaScript show them.
      const value = (stored as Record<string, string | undefined> | undefined)?.[name];
      return {
        ...input,
        ...(value !== undefined && { defaultValue: value }),
        // An error message that appears between mousedown and mouseup could move the button, and the click would be
        // lost.
        onBlur: async (event) => runAfterClick(() => void onBlur(event)),
        'aria-required': true,
        error: isTouched ? error?.message : undefined,
      };
    },
  };
}
