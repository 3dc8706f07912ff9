import { type ReactNode, useMemo, useState } from 'react';
import { useRevalidator } from 'react-router';
import * as z from 'zod/mini';
import { Email } from '#contract/fields.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import {
  type FormField,
  formFields,
  onboardingSteps,
  pointerTo,
  type Profile,
  type ProfileForm,
  profileForm,
  toDocument,
  toForm,
} from '#contract/profile.ts';
import { type Audience, type ProfileField, type VisibilityChoices } from '#contract/visibility.ts';
import { ChangeEmailForm } from '../../domain/change-email-form.tsx';
import { messageOf } from '../../domain/messages.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { fieldsOfStep } from '../../domain/profile-form/fields.tsx';
import { useUser } from '../../domain/root-data.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Link } from '../../platform/link.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldError, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { WhoSees } from './who-sees.tsx';

interface Props {
  profile: Profile;
  visibility: VisibilityChoices;
  facts: InstitutionFacts;
}

/** The form's fields whose audience is chosen elsewhere: the three parts of a name have one, the picture has its own name. */
const audienceField: Partial<Record<FormField, ProfileField | null>> = {
  firstName: 'name',
  middleName: null,
  lastName: null,
  imgURL: 'picture',
};

/** All of the profile, and beside each field who sees it. */
export function EditInformation({ profile, visibility, facts }: Props) {
  const user = useUser();
  const schema = useMemo(() => z.extend(profileForm(facts), { email: Email }), [facts]);
  const [wishedEmail, setWishedEmail] = useState<string | null>(null);
  const { form, field } = useSchemaForm(schema, { stored: { ...toForm(profile), email: profile.email } });
  // Only what is chosen here is sent: another tab may have chosen otherwise for the rest.
  const [chosen, setChosen] = useState<VisibilityChoices>({});
  const [fault, setFault] = useState<string | null>(null);
  const { revalidate } = useRevalidator();

  const save = form.handleSubmit(async ({ email, ...values }: ProfileForm & { email: string }) => {
    setFault(null);
    const sent = new Map(Object.entries(chosen));
    try {
      const body = { ...toDocument(values), visibility: chosen };
      const saved = await callApi('PUT /api/users/{id}', { params: { id: profile.id }, body });
      if (user) {
        setUser({
          ...user,
          displayName: `${saved.name.last} ${saved.name.first}`,
          imgURL: saved.imgURL,
          department: saved.academic.department ?? null,
        });
      }
      form.reset({ ...toForm(saved), email } as never);
      toast('success', 'Data successfully saved');
      // The header shows name and picture too.
      void revalidate().then(() =>
        setChosen((now) => Object.fromEntries(Object.entries(now).filter(([key, value]) => value !== sent.get(key)))),
      );
      if (email !== profile.email) setWishedEmail(email);
    } catch (error) {
      toast('error', 'Error saving data');
      const problem = problemOf(error);
      setFault(messageOf(problem));
      for (const { pointer, message } of problem.errors ?? []) {
        const name = formFields.find((candidate) => pointerTo(candidate) === pointer);
        if (name) form.setError(name, { message }, { shouldFocus: true });
      }
    }
  });

  const whoSees = (subject: ProfileField) => (label: string) => (
    <SeenBy
      field={subject}
      label={label}
      choices={{ ...visibility, ...chosen }}
      onChoose={(audience) => setChosen((now) => ({ ...now, [subject]: audience }))}
    />
  );
  const wired = (name: FormField) => {
    const subject = name in audienceField ? audienceField[name] : (name as ProfileField);
    return {
      ...field(name),
      aside: subject && whoSees(subject),
    };
  };

  return (
    <>
      <form className="grid gap-6" method="post" noValidate onSubmit={save}>
        <Group heading="Account">
          <TextField
            label="Email"
            type="email"
            autoComplete="email"
            hint="A new address counts once you have opened the link that we send there."
            {...field('email')}
            aside={whoSees('email')}
          />
        </Group>
        {onboardingSteps.map(({ heading }, index) => {
          const Fields = fieldsOfStep[index] ?? fieldsOfStep[0];
          return (
            <Group key={heading} heading={heading}>
              <Fields form={form as never} field={wired as never} facts={facts} />
              {index === 0 && (
                <TextField
                  label="Other names"
                  autoComplete="off"
                  hint="Former and nick names, if you like to be found by them."
                  {...wired('otherNames')}
                  aria-required={undefined}
                />
              )}
            </Group>
          );
        })}
        <div className="sticky bottom-0 -mx-4 flex flex-wrap items-center justify-end gap-x-4 border-t border-line bg-raised px-4 py-3 lg:mx-0 lg:rounded-card lg:border">
          <Link
            className="link mr-auto inline-flex min-h-11 items-center"
            to={withParam(paths.myProfile, 'as', 'everyone')}
          >
            See what guests see
          </Link>
          <Button type="submit" className="min-w-28" busy={form.formState.isSubmitting && 'Saving...'}>
            Save
          </Button>
          {fault !== null && (
            <div role="alert" className="order-first basis-full pb-1">
              <FieldError>{fault}</FieldError>
            </div>
          )}
        </div>
      </form>
      {wishedEmail !== null && (
        <EmailDialog
          email={wishedEmail}
          onClose={() => {
            setWishedEmail(null);
            form.setValue('email', profile.email as never);
          }}
        />
      )}
    </>
  );
}

/** A new address needs the password, and then a look into the new mailbox. */
function EmailDialog({ email, onClose }: { email: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Change my email">
      <ChangeEmailForm
        email={email}
        hint="It counts once you have opened the link that we send there."
        onCancel={onClose}
        onChanged={({ email: asked }) => {
          toast('info', `We have sent a link to ${asked}. Until it is opened, your old address counts`);
          onClose();
        }}
      />
    </Dialog>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <section className="grid gap-5 rounded-card border border-line bg-raised p-5">
      <h2 className="text-lg font-bold">{heading}</h2>
      {children}
    </section>
  );
}

interface SeenByProps {
  field: ProfileField;
  /** What the field is called on the screen. */
  label: string;
  choices: VisibilityChoices;
  onChoose: (audience: Audience) => void;
}

/** Who sees a field, beside it. */
function SeenBy({ field, label, choices, onChoose }: SeenByProps) {
  return (
    <label className="flex flex-wrap items-center gap-x-2 text-sm text-ink-soft">
      {field === 'name' ? 'Name seen by' : field === 'picture' ? 'Picture seen by' : 'Seen by'}
      {/* It is read out with the name of its field. As a style and not as text, so that the label still names one field. */}
      <span className="sr-only before:content-[attr(data-field)]" data-field={label} />
      <WhoSees field={field} choices={choices} onChoose={onChoose} />
    </label>
  );
}
