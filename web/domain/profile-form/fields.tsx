import { type ComponentType, useId, useRef } from 'react';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import { type FieldWithNone, noneValue } from '#contract/none.ts';
import { type FormField, profileRows } from '#contract/profile-fields.ts';
import { genders } from '#contract/profile.ts';
import { DateField } from '#web/ui/date-field.tsx';
import { SelectField, TextArea, TextField } from '#web/ui/field.tsx';
import { Options } from '#web/ui/options.tsx';
import { upperFirst, reword } from '#web/platform/words.ts';
import type { FieldsProps } from './fields-props.ts';
import { PictureField } from './picture-field.tsx';

const capitalized = (values: readonly string[]) => values.map((value) => [value, upperFirst(value)] as const);

const labelled = (field: FieldsProps['field'], name: FormField) => ({
  label: reword(profileRows[name].label),
  ...field(name),
});

interface NoneFieldProps extends Pick<FieldsProps, 'form' | 'field'> {
  name: FieldWithNone;
  autoComplete?: string;
  autoCapitalize?: string;
  spellCheck?: boolean;
}

/**
 * Shows a required text field with a checkbox for people who have no such text. Checked, the field contains
 * `noneValue`.
 */
function NoneField({ form, field, name, ...rest }: NoneFieldProps) {
  const hasNone = form.watch(name) === noneValue;
  const typed = useRef('');
  return (
    <div className="grid">
      <TextField
        readOnly={hasNone}
        className="read-only:border-line read-only:bg-wash read-only:text-ink-soft"
        {...rest}
        {...labelled(field, name)}
      />
      <label className="-mb-2 inline-flex min-h-11 items-center gap-2 justify-self-start text-sm">
        <input
          type="checkbox"
          className="size-5 accent-brand"
          checked={hasNone}
          onChange={({ target: { checked } }) => {
            if (checked) typed.current = form.watch(name) ?? '';
            form.setValue(name, checked ? noneValue : typed.current, { shouldDirty: true, shouldValidate: checked });
          }}
        />
        <span>
          I have none
          {/* As text, it would match the label of the field. */}
          <span className="sr-only field-name" data-field={profileRows[name].label} />
        </span>
      </label>
    </div>
  );
}

function BasicInformation({ form, field, facts }: FieldsProps) {
  return (
    <>
      <SelectField className="max-w-40" autoComplete="honorific-prefix" {...labelled(field, 'title')}>
        <Options options={capitalized(facts.titles)} />
      </SelectField>
      <TextField autoComplete="given-name" {...labelled(field, 'firstName')} />
      <NoneField form={form} field={field} name="middleName" autoComplete="additional-name" />
      <TextField autoComplete="family-name" {...labelled(field, 'lastName')} />
    </>
  );
}

function PersonalInformation({ field }: FieldsProps) {
  return (
    <>
      {/* The settings show beside each field who sees it. */}
      {!field('contactNumber').aside && (
        <p className="rounded-card bg-wash p-3 text-sm text-ink-soft">
          Guests never see these details. Members see them, but only the day and month of your date of birth. You can
          change this in the settings.
        </p>
      )}
      <TextField
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        className="max-w-72"
        {...labelled(field, 'contactNumber')}
      />
      <DateField autoComplete="bday" {...labelled(field, 'dob')} />
      <SelectField className="max-w-40" autoComplete="sex" {...labelled(field, 'gender')}>
        <Options options={capitalized(genders)} />
      </SelectField>
      <TextArea rows={3} autoComplete="street-address" {...labelled(field, 'homeAddress')} />
    </>
  );
}

function AcademicInformation({ form, field, facts }: FieldsProps) {
  const list = useId();
  const college = facts.colleges.find(({ code }) => code === form.watch('college'));
  const departments = (college ? [college] : facts.colleges).flatMap((item) => item.departments);
  // A new year of admission also revalidates the year of graduation, whose error may depend on it.
  form.register('yearAdmitted', { deps: 'yearGraduated' });
  const yearHint = `From ${facts.firstYear} to ${facts.lastYear}`;
  return (
    <>
      <TextField
        className="max-w-72"
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        hint={`Cards show its first ${fieldLengths.matricNumberShown} characters.`}
        {...labelled(field, 'matricNumber')}
      />
      <SelectField {...labelled(field, 'college')}>
        <Options options={facts.colleges.map(({ code, name }) => [code, `${code}, ${name}`])} />
      </SelectField>
      <TextField
        list={list}
        autoComplete="off"
        hint="Choose from the list or type your own."
        {...labelled(field, 'department')}
      />
      <datalist id={list}>
        {departments.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <SelectField className="max-w-40" {...labelled(field, 'program')}>
        <Options options={capitalized(facts.programs)} />
      </SelectField>
      <div className={field('yearAdmitted').aside ? 'grid gap-5' : 'grid grid-cols-2 gap-4'}>
        <TextField
          className="max-w-40"
          inputMode="numeric"
          maxLength={4}
          autoComplete="off"
          hint={yearHint}
          {...labelled(field, 'yearAdmitted')}
        />
        <TextField
          className="max-w-40"
          inputMode="numeric"
          maxLength={4}
          autoComplete="off"
          hint={yearHint}
          {...labelled(field, 'yearGraduated')}
        />
      </div>
    </>
  );
}

function AdditionalInformation({ form, field }: FieldsProps) {
  const left = fieldLengths.fullBioMax - countCodePoints(form.watch('fullBio') ?? '');
  return (
    <>
      <TextField
        hint="What you like to talk about, for example robotics, choir or farming."
        {...labelled(field, 'interest')}
      />
      <TextField hint="One line about you." {...labelled(field, 'bio')} />
      <TextArea
        rows={5}
        hint={
          <span className={left < 0 ? 'font-semibold text-danger' : ''}>
            At most {fieldLengths.fullBioMax} characters; {left >= 0 ? `${left} left` : `${-left} too many`}.
          </span>
        }
        {...labelled(field, 'fullBio')}
      />
      <NoneField form={form} field={field} name="xHandle" autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <NoneField form={form} field={field} name="facebookName" autoComplete="off" />
      <NoneField form={form} field={field} name="linkedinName" autoComplete="off" />
    </>
  );
}

export const fieldsOfStep: readonly [ComponentType<FieldsProps>, ...ComponentType<FieldsProps>[]] = [
  BasicInformation,
  PersonalInformation,
  AcademicInformation,
  AdditionalInformation,
  PictureField,
];
