import { type ReactNode, useEffect, useMemo, useState } from 'react';
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
import {
  type Audience,
  audienceOf,
  choicesFor,
  type ProfileField,
  type VisibilityChoices,
} from '#contract/visibility.ts';
import { ChangeEmailForm } from '../../domain/change-email-form.tsx';
import { paths, withParam } from '../../domain/paths.ts';
import { fieldsOfStep } from '../../domain/profile-form/fields.tsx';
import { useUser } from '../../domain/root-data.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Link } from '../../platform/link.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';

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
  const { form, field } = useSchemaForm(schema);
  const [choices, setChoices] = useState(visibility);
  const { reset } = form;
  // What is stored comes in once the page is live, and again after each save.
  useEffect(() => reset({ ...toForm(profile), email: profile.email } as never), [profile, reset]);

  const save = form.handleSubmit(async ({ email, ...values }: ProfileForm & { email: string }) => {
    try {
      const body = { ...toDocument(values), visibility: choices };
      const saved = await callApi('PUT /api/users/{id}', { params: { id: profile.id }, body });
      if (user) {
        setUser({
          ...user,
          displayName: `${saved.name.last} ${saved.name.first}`,
          imgURL: saved.imgURL,
          department: saved.academic.department ?? null,
        });
      }
      reset({ ...toForm(saved), email } as never);
      toast('success', 'Data successfully saved');
      if (email !== profile.email) setWishedEmail(email);
    } catch (error) {
      toast('error', 'Error saving data');
      for (const { pointer, message } of problemOf(error).errors ?? []) {
        const name = formFields.find((candidate) => pointerTo(candidate) === pointer);
        if (name) form.setError(name, { message }, { shouldFocus: true });
      }
    }
  });

  const wired = (name: FormField) => {
    const subject = name in audienceField ? audienceField[name] : (name as ProfileField);
    return {
      ...field(name),
      aside: subject && <WhoSees field={subject} choices={choices} onChoose={setChoices} />,
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
            aside={<WhoSees field="email" choices={choices} onChoose={setChoices} />}
          />
        </Group>
        {onboardingSteps.map(({ heading }, index) => {
          const Fields = fieldsOfStep[index] ?? fieldsOfStep[0];
          return (
            <Group key={heading} heading={heading}>
              <Fields form={form as never} field={wired as never} facts={facts} />
            </Group>
          );
        })}
        <div className="sticky bottom-0 -mx-4 flex items-center justify-end gap-4 border-t border-line bg-raised px-4 py-3 lg:mx-0 lg:rounded-card lg:border">
          <Link
            className="link mr-auto inline-flex min-h-11 items-center"
            to={withParam(paths.myProfile, 'as', 'everyone')}
          >
            See what guests see
          </Link>
          <Button type="submit" className="min-w-28" busy={form.formState.isSubmitting && 'Saving...'}>
            Save
          </Button>
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

const audienceNames: Record<Audience, string> = { everyone: 'Everyone', members: 'Members', me: 'Only me' };

interface WhoSeesProps {
  field: ProfileField;
  choices: VisibilityChoices;
  onChoose: (choices: VisibilityChoices) => void;
}

/** Who sees a field. What is for members at most does not offer more. */
function WhoSees({ field, choices, onChoose }: WhoSeesProps) {
  return (
    <label className="flex items-center gap-2 text-sm text-ink-soft">
      {field === 'name' ? 'Name seen by' : field === 'picture' ? 'Picture seen by' : 'Seen by'}
      <select
        className="control w-auto py-1 text-sm"
        value={audienceOf(field, choices)}
        onChange={(event) => onChoose({ ...choices, [field]: event.target.value as Audience })}
      >
        {choicesFor(field).map((audience) => (
          <option key={audience} value={audience}>
            {audienceNames[audience]}
          </option>
        ))}
      </select>
    </label>
  );
}
