import { type ComponentType, useId, useRef } from 'react';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import { type FieldWithNone, noneValue } from '#contract/none.ts';
import { genders } from '#contract/profile.ts';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import type { FieldsProps } from './fields-props.ts';
import { PictureField } from './picture-field.tsx';

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function Options({ values, labels }: { values: readonly string[]; labels?: Record<string, string> }) {
  return (
    <>
      <option value="">Choose …</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {labels?.[value] ?? capital(value)}
        </option>
      ))}
    </>
  );
}

interface NoneFieldProps extends Pick<FieldsProps, 'form' | 'field'> {
  name: FieldWithNone;
  label: string;
  autoComplete?: string;
  autoCapitalize?: string;
  spellCheck?: boolean;
}

/** Shows a required text field with a checkbox for people who have no such text. Checked, the field contains `noneValue`. */
function NoneField({ form, field, name, label, ...rest }: NoneFieldProps) {
  const hasNone = form.watch(name) === noneValue;
  const typed = useRef('');
  return (
    <div className="grid">
      <TextField
        label={label}
        readOnly={hasNone}
        className="read-only:border-line read-only:bg-wash read-only:text-ink-soft"
        {...rest}
        {...field(name)}
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
          <span className="sr-only field-name" data-field={label} />
        </span>
      </label>
    </div>
  );
}

function BasicInformation({ form, field, facts }: FieldsProps) {
  return (
    <>
      <SelectField label="Title" className="max-w-40" autoComplete="honorific-prefix" {...field('title')}>
        <Options values={facts.titles} />
      </SelectField>
      <div className="grid gap-5 @2xl:max-w-none! @2xl:grid-cols-3">
        <TextField label="First name" autoComplete="given-name" {...field('firstName')} />
        <NoneField form={form} field={field} name="middleName" label="Middle name" autoComplete="additional-name" />
        <TextField label="Last name" autoComplete="family-name" {...field('lastName')} />
      </div>
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
        label="Contact number"
        type="tel"
        inputMode="tel"
        autoComplete="tel"
        className="max-w-72"
        {...field('contactNumber')}
      />
      <TextField label="Date of birth" type="date" autoComplete="bday" className="max-w-52" {...field('dob')} />
      <SelectField label="Gender" className="max-w-40" autoComplete="sex" {...field('gender')}>
        <Options values={genders} />
      </SelectField>
      <TextArea label="Home address" rows={3} autoComplete="street-address" {...field('homeAddress')} />
    </>
  );
}

function AcademicInformation({ form, field, facts }: FieldsProps) {
  const list = useId();
  const college = facts.colleges.find(({ code }) => code === form.watch('college'));
  const departments = (college ? [college] : facts.colleges).flatMap((item) => item.departments);
  const names = Object.fromEntries(facts.colleges.map(({ code, name }) => [code, `${code}, ${name}`]));
  // A new year of admission also revalidates the year of graduation, whose error may depend on it.
  form.register('yearAdmitted', { deps: 'yearGraduated' });
  const yearHint = `From ${facts.firstYear} to ${facts.lastYear}`;
  return (
    <>
      <TextField
        label="Matric number"
        className="max-w-72"
        autoCapitalize="characters"
        autoComplete="off"
        spellCheck={false}
        {...field('matricNumber')}
      />
      <SelectField label="College" {...field('college')}>
        <Options values={facts.colleges.map(({ code }) => code)} labels={names} />
      </SelectField>
      <TextField
        label="Department"
        list={list}
        autoComplete="off"
        hint="Choose from the list or type your own."
        {...field('department')}
      />
      <datalist id={list}>
        {departments.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <SelectField label="Program" className="max-w-40" {...field('program')}>
        <Options values={facts.programs} />
      </SelectField>
      <div className="grid grid-cols-2 gap-4">
        <TextField
          label="Year admitted"
          inputMode="numeric"
          maxLength={4}
          autoComplete="off"
          hint={yearHint}
          {...field('yearAdmitted')}
        />
        <TextField
          label="Year graduated"
          inputMode="numeric"
          maxLength={4}
          autoComplete="off"
          hint={yearHint}
          {...field('yearGraduated')}
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
        label="Interest"
        hint="What you like to talk about, for example robotics, choir or farming."
        {...field('interest')}
      />
      <TextField label="Short bio" hint="One line about you." {...field('bio')} />
      <TextArea
        label="Full bio"
        rows={5}
        hint={
          <span className={left < 0 ? 'font-semibold text-danger' : ''}>
            At most {fieldLengths.fullBioMax} characters; {left >= 0 ? `${left} left` : `${-left} too many`}.
          </span>
        }
        {...field('fullBio')}
      />
      <NoneField
        form={form}
        field={field}
        name="xHandle"
        label="X handle"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <NoneField form={form} field={field} name="facebookName" label="Facebook name" autoComplete="off" />
      <NoneField form={form} field={field} name="linkedinName" label="LinkedIn name" autoComplete="off" />
    </>
  );
}

/** The fields of each step of the onboarding, in the order of `onboardingSteps`. The settings show the same fields. */
export const fieldsOfStep: readonly [ComponentType<FieldsProps>, ...ComponentType<FieldsProps>[]] = [
  BasicInformation,
  PersonalInformation,
  AcademicInformation,
  AdditionalInformation,
  PictureField,
];
