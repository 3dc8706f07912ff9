import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Link, useRevalidator } from 'react-router';
import * as z from 'zod/mini';
import { Email } from '#contract/fields.ts';
import type { InstitutionFacts } from '#contract/institution.ts';
import {
  type FormField,
  formFields,
  onboardingSteps,
  toPointer,
  type Profile,
  type ProfileForm,
  createProfileFormSchema,
  toDocument,
  toForm,
} from '#contract/profile.ts';
import { extraFields, profileRows } from '#contract/profile-fields.ts';
import type { Problem } from '#contract/problem.ts';
import { type Audience, type ProfileField, type VisibilityChoices, audienceFieldOf } from '#contract/visibility.ts';
import { ChangeEmailForm } from '#web/domain/change-email-form.tsx';
import { useDraft } from '#web/domain/drafts.ts';
import { RestoredDraft } from '#web/domain/restored-draft.tsx';
import { LeaveGuard } from '#web/domain/leave-guard.tsx';
import { messageOf } from '#web/domain/messages.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { fieldsOfStep } from '#web/domain/profile-form/fields.tsx';
import { useUser } from '#web/domain/root-data.ts';
import { WaitingChange } from '#web/domain/waiting-change.tsx';
import { setUser } from '#web/domain/session.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useSchemaForm } from '#web/ui/use-schema-form.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import {
  type EditConflict,
  type LoadedProfile,
  mergeProfile,
  type ProfileEdit,
  applyNewerValues,
} from './merge-profile.ts';
import { AudienceField, AudienceRow } from '#web/domain/audience-select.tsx';
import { Group } from '#web/ui/group.tsx';
import { SaveBar } from './save-bar.tsx';

interface Props extends LoadedProfile {
  /** Pending until the alumni office decides. */
  waiting: readonly string[] | null;
  facts: InstitutionFacts;
}

interface UnresolvedSave {
  readonly edit: ProfileEdit;
  readonly email: string;
  readonly conflicts: readonly EditConflict[];
}

/** The audience of several fields of a step, or of a field without a label, is above the fields. */
const audiencesOfSteps: Partial<Record<number, { field: ProfileField; label: string }>> = {
  1: { field: 'name', label: 'Who sees your name' },
  5: { field: 'picture', label: 'Who sees your picture' },
};

/** Numbers become strings as in inputs; otherwise an unchanged form would count as edited. */
function toFormValues(profile: Profile): Record<string, unknown> {
  const stored = toForm(profile);
  const texts = formFields
    .filter((name) => name !== 'imgURL')
    .map((name) => [name, String((stored[name] as string | number | undefined) ?? '')]);
  return { ...Object.fromEntries(texts), imgURL: stored.imgURL, email: profile.email };
}

export function EditInformation({ profile, visibility, version, waiting, facts }: Props) {
  const user = useUser();
  const schema = useMemo(
    () => z.extend(createProfileFormSchema(facts, profile.dob), { email: Email }),
    [facts, profile.dob],
  );
  const [newEmail, setNewEmail] = useState<string | null>(null);
  // The profile that the form was filled with. Revalidation does not replace this profile, because its version must
  // match the form values.
  const [base, setBase] = useState<LoadedProfile>({ profile, visibility, version });
  const { form, field } = useSchemaForm(schema, { stored: toFormValues(profile) });
  const [chosenAudiences, setChosenAudiences] = useState<VisibilityChoices>({});
  const [conflict, setConflict] = useState<UnresolvedSave | null>(null);
  const [formError, setFormError] = useState<string | null>(null);
  const { revalidate } = useRevalidator();

  // The line at the top of the page may be outside the viewport.
  const waitingText = waiting?.join(' · ') ?? '';
  const announcedText = useRef(waitingText);
  useEffect(() => {
    if (waitingText !== '' && waitingText !== announcedText.current)
      toast('info', `Waiting for the alumni office: ${waitingText}`);
    announcedText.current = waitingText;
  }, [waitingText]);

  const draft = useDraft<ProfileEdit & { email: string }>('settings', ({ email, ...edit }) => {
    const merged = mergeProfile(edit, { profile, visibility, version });
    // The user resolves conflicts when saving.
    const restored = merged.conflicts.length > 0 ? edit : merged.edit;
    setBase(restored.base);
    form.reset(toFormValues(restored.base.profile));
    fillForm(restored, email);
  });
  const saveDraft = useEffectEvent(() => {
    const { email, ...values } = form.getValues() as ProfileForm & { email: string };
    draft.save({ base, values, chosen: chosenAudiences, email });
  });
  const { watch } = form;
  useEffect(() => watch(() => saveDraft()).unsubscribe, [watch]);
  useEffect(() => {
    if (Object.keys(chosenAudiences).length > 0) saveDraft();
  }, [chosenAudiences]);
  const { isDirty, dirtyFields } = form.formState;
  const changeCount = (isDirty ? Object.keys(dirtyFields).length : 0) + Object.keys(chosenAudiences).length;
  const focusLater = useFocusLater();

  function discard(): void {
    setBase({ profile, visibility, version });
    setChosenAudiences({});
    setFormError(null);
    form.reset(toFormValues(profile));
    draft.discard();
  }

  const save = form.handleSubmit(async ({ email, ...values }: ProfileForm & { email: string }) =>
    send({ base, values, chosen: chosenAudiences }, email),
  );

  async function send(edit: ProfileEdit, email: string): Promise<void> {
    setFormError(null);
    setConflict(null);
    const params = { id: profile.id };
    try {
      const body = { ...toDocument(edit.values), visibility: edit.chosen, version: edit.base.version };
      const { version: savedVersion, ...saved } = await callApi('PUT /api/users/{id}', { params, body });
      if (user) {
        setUser({
          ...user,
          displayName: `${saved.name.last} ${saved.name.first}`,
          imgURL: saved.imgURL,
          department: saved.academic.department ?? null,
          yearGraduated: saved.academic.year.graduated ?? null,
        });
      }
      setBase({ profile: saved, visibility: { ...edit.base.visibility, ...edit.chosen }, version: savedVersion });
      setChosenAudiences((now) =>
        Object.fromEntries(Object.entries(now).filter(([key, value]) => value !== edit.chosen[key as ProfileField])),
      );
      form.reset({ ...toFormValues(saved), email });
      draft.discard();
      toast('success', 'Data successfully saved');
      // The header also shows the name and the picture.
      void revalidate();
      if (email !== edit.base.profile.email) setNewEmail(email);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'profile-changed') return sendMerged(edit, email);
      showProblem(problem);
    }
  }

  /** Lets the user choose if both the edit and the stored profile changed the same field. */
  async function sendMerged(edit: ProfileEdit, email: string): Promise<void> {
    try {
      const newer = await callApi('GET /api/users/{id}/document', { params: { id: profile.id } });
      const merged = mergeProfile(edit, newer);
      const newerEmail = email === edit.base.profile.email ? (newer.profile.email ?? email) : email;
      setBase(newer);
      fillForm(merged.edit, newerEmail);
      if (merged.conflicts.length > 0) return setConflict({ ...merged, email: newerEmail });
      toast('info', 'Your changes from another tab or device were kept');
      await send(merged.edit, newerEmail);
    } catch (error) {
      showProblem(problemOf(error));
    }
  }

  function fillForm(edit: ProfileEdit, email: string): void {
    for (const name of formFields) form.setValue(name, edit.values[name] ?? '', { shouldDirty: true });
    form.setValue('email', email, { shouldDirty: true });
    setChosenAudiences(edit.chosen);
  }

  function showProblem(problem: Problem): void {
    toast('error', 'Error saving data');
    setFormError(messageOf(problem));
    for (const { pointer, message } of problem.errors ?? []) {
      const name = formFields.find((candidate) => toPointer(candidate) === pointer);
      if (name) form.setError(name, { message }, { shouldFocus: true });
    }
  }

  const getAudienceProps = (audienceField: ProfileField, label: string) => ({
    field: audienceField,
    label,
    choices: { ...base.visibility, ...chosenAudiences },
    onChoose: (audience: Audience) => setChosenAudiences((now) => ({ ...now, [audienceField]: audience })),
  });
  const renderAudienceField = (audienceField: ProfileField) => (label: string) => (
    <AudienceField {...getAudienceProps(audienceField, label)} />
  );
  const getFieldProps = (name: FormField) => {
    return {
      ...field(name),
      // The audiences of the name and of the picture have their own rows.
      aside: audienceFieldOf(name) === name ? renderAudienceField(name) : null,
    };
  };

  return (
    <>
      <LeaveGuard isEdited={changeCount > 0} onLeave={draft.discard} />
      {draft.isRestored && (
        <div className="mb-6">
          <RestoredDraft />
        </div>
      )}
      <p className="mb-8 text-sm text-ink-soft lg:-mt-1">
        Choose who sees each field.{' '}
        <Link
          className="link -my-3 inline-flex min-h-11 items-center"
          to={withParam(paths.myProfile, 'as', 'everyone')}
        >
          View as a guest
        </Link>
      </p>
      {waiting && (
        <div className="mb-5">
          <WaitingChange values={waiting} />
        </div>
      )}
      <form className="grid gap-6" method="dialog" noValidate onSubmit={save}>
        <Group heading="Account">
          <TextField
            label="Email"
            type="email"
            autoComplete="email"
            hint="A new address takes effect after you open the link that we send to it."
            {...field('email')}
            aside={renderAudienceField('email')}
          />
        </Group>
        {onboardingSteps.map(({ heading }, index) => {
          const Fields = fieldsOfStep[index] ?? fieldsOfStep[0];
          const audience = audiencesOfSteps[index + 1];
          return (
            <Group key={heading} heading={heading}>
              {audience && <AudienceRow {...getAudienceProps(audience.field, audience.label)} />}
              <Fields form={form} field={getFieldProps} facts={facts} />
              {extraFields
                .filter((name) => profileRows[name].step === index + 1)
                .map((name) => (
                  <TextField
                    key={name}
                    label={profileRows[name].label}
                    autoComplete="off"
                    hint={profileRows[name].hint}
                    {...getFieldProps(name)}
                    aria-required={undefined}
                  />
                ))}
            </Group>
          );
        })}
        <SaveBar
          changes={changeCount}
          isSaving={form.formState.isSubmitting}
          error={formError}
          onDiscard={() => {
            focusLater('[data-save]');
            discard();
          }}
        />
      </form>
      {conflict && (
        <ConflictDialog
          conflicts={conflict.conflicts}
          onCancel={() => setConflict(null)}
          onSave={(newer) => {
            const edit = applyNewerValues(conflict.edit, newer);
            fillForm(edit, conflict.email);
            void send(edit, conflict.email);
          }}
        />
      )}
      {newEmail !== null && (
        <EmailDialog
          email={newEmail}
          onClose={() => {
            setNewEmail(null);
            form.setValue('email', base.profile.email ?? '');
          }}
        />
      )}
    </>
  );
}

/** Requires the password. The email change takes effect after the link in the new mailbox is opened. */
function EmailDialog({ email, onClose }: { email: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Change my email">
      <ChangeEmailForm
        email={email}
        hint="The new address takes effect after you open the link that we send to it."
        onCancel={onClose}
        onChanged={({ email: requestedEmail }) => {
          toast('info', `We have sent a link to ${requestedEmail}. Your old address stays in use until you open it`);
          onClose();
        }}
      />
    </Dialog>
  );
}
