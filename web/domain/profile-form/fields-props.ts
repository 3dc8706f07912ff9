import type { UseFormRegisterReturn } from 'react-hook-form';
import type { InstitutionFacts } from '#contract/institution.ts';
import type { FieldWithNone } from '#contract/none.ts';
import type { FormField } from '#contract/profile.ts';
import type { Aside } from '#web/ui/field.tsx';

export type FieldInputProps = UseFormRegisterReturn & {
  error: string | undefined;
  aside?: Aside;
};

/** The part of React Hook Form that the fields use. Every form whose schema contains the profile's fields fits. */
export interface ProfileFormControl {
  watch(name: 'college' | 'fullBio' | FieldWithNone): string | undefined;
  watch(name: 'imgURL'): string | null | undefined;
  register(name: 'yearAdmitted', options: { deps: 'yearGraduated' }): unknown;
  setValue(name: FieldWithNone, value: string, options: { shouldDirty: true; shouldValidate: boolean }): void;
  setValue(
    name: 'imgURL',
    value: string | null,
    options: { shouldDirty: true; shouldTouch: true; shouldValidate: true },
  ): void;
}

export interface FieldsProps {
  form: ProfileFormControl;
  field: (name: FormField) => FieldInputProps;
  facts: InstitutionFacts;
}
