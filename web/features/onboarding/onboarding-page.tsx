import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useLoaderData, useNavigate, useSearchParams } from 'react-router';
import * as z from 'zod/mini';
import type { InstitutionFacts } from '#contract/institution.ts';
import {
  type FormField,
  formFields,
  PictureValue,
  onboardingSteps,
  toPointer,
  type ProfileForm,
  createProfileFormSchema,
  toDocument,
} from '#contract/profile.ts';
import { deleteDraft, readDraft, writeDraft } from '#web/domain/drafts.ts';
import { readKeptCode } from '#web/domain/kept-code.ts';
import { messageOf } from '#web/domain/messages.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { fieldsOfStep } from '#web/domain/profile-form/fields.tsx';
import { useUser } from '#web/domain/root-data.ts';
import { onboardingDraft, setUser } from '#web/domain/session.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { useScrollFieldsIntoView } from '#web/platform/use-scroll-fields-into-view.ts';
import { Button } from '#web/ui/button.tsx';
import { FieldError } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useSchemaForm } from '#web/ui/use-schema-form.ts';
import { CardPreview } from './card-preview.tsx';
import { StepFrame } from './step-frame.tsx';

const lastStep = onboardingSteps.length;

const purposes = [
  'So that people find you by your name.',
  'So that members can reach and congratulate you.',
  'So that you appear with your class.',
  'So that people see who you are today.',
  'So that your card shows your face.',
];

/** The picture is required (specification, section 5). */
const createOnboardingSchema = (facts: InstitutionFacts) =>
  z.safeExtend(createProfileFormSchema(facts), { imgURL: PictureValue });

type OnboardingValues = z.input<ReturnType<typeof createOnboardingSchema>>;

const emptyForm = Object.fromEntries(formFields.map((field) => [field, ''])) as Record<FormField, string>;

/** The step is part of the URL, so the browser's Back button goes back one step (specification, section 4). */
export function OnboardingPage() {
  const facts = useLoaderData<InstitutionFacts>();
  const user = useUser();
  const uid = user?.uid ?? '';
  const schema = useMemo(() => createOnboardingSchema(facts), [facts]);
  const { step, goTo } = useStep();
  const [attemptedSteps, setAttemptedSteps] = useState<ReadonlySet<number>>(new Set());
  const { form, field } = useSchemaForm(schema, { showAll: attemptedSteps.has(step) });
  const [isSaving, setSaving] = useState(false);
  const [formError, setFormError] = useState<ReactNode>(null);
  const navigate = useNavigate();
  const isDraftRestored = useDraft(uid, form);
  useScrollFieldsIntoView();
  useEffect(() => {
    if (!isDraftRestored) return;
    const firstInvalidStep = findFirstInvalidStep(schema, form.getValues());
    if (step > firstInvalidStep) goTo(firstInvalidStep, { replace: true });
  }, [isDraftRestored, step, schema, form, goTo]);

  const current = onboardingSteps[step - 1] ?? onboardingSteps[0];
  const Fields = fieldsOfStep[step - 1] ?? fieldsOfStep[0];

  async function continueToNextStep() {
    setAttemptedSteps(new Set([...attemptedSteps, step]));
    if (!(await form.trigger([...current.fields], { shouldFocus: true }))) return;
    if (step < lastStep) goTo(step + 1);
    else await form.handleSubmit(saveProfile)();
  }

  async function saveProfile(values: ProfileForm) {
    setSaving(true);
    setFormError(null);
    try {
      const profile = await callApi('PUT /api/users/{id}', { params: { id: uid }, body: toDocument(values) });
      deleteDraft(onboardingDraft, uid);
      if (user) {
        setUser({
          ...user,
          displayName: `${profile.name.last} ${profile.name.first}`,
          imgURL: profile.imgURL,
          department: profile.academic.department ?? null,
          yearGraduated: profile.academic.year.graduated ?? null,
        });
      }
      toast('success', 'Data successfully saved');
      const code = user?.membership ? readKeptCode() : null;
      await navigate(code === null ? paths.dashboard : `/join/${encodeURIComponent(code)}`, { replace: true });
    } catch (error) {
      const problem = problemOf(error);
      toast('error', 'Error saving data');
      setFormError(problem.code === 'profile-changed' ? <AlreadyComplete /> : messageOf(problem));
      showFieldErrors(problem.errors ?? []);
    } finally {
      setSaving(false);
    }
  }

  function showFieldErrors(faults: readonly { pointer: string; message: string }[]) {
    const invalidFields = formFields.filter((name) => faults.some(({ pointer }) => pointer === toPointer(name)));
    for (const name of invalidFields) {
      form.setError(name, { message: faults.find(({ pointer }) => pointer === toPointer(name))?.message ?? '' });
    }
    const place = onboardingSteps.findIndex(({ fields }) => fields.some((name) => invalidFields.includes(name)));
    if (place >= 0) goTo(place + 1);
  }

  return (
    <StepFrame
      step={step}
      heading={current.heading}
      purpose={purposes[step - 1] ?? ''}
      aside={<CardPreview id={uid} values={form.watch()} />}
    >
      <noscript>
        <p className="mb-5 rounded-card border border-brand-line bg-wash p-4">
          You need JavaScript to complete your profile. Turn it on in your browser and reload this page.
        </p>
      </noscript>
      <form
        className="scripted grid gap-5"
        method="dialog"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void continueToNextStep();
        }}
      >
        <Fields form={form} field={field} facts={facts} />
        <div className="wizard-bar lg:mt-3">
          <div className="mx-auto flex max-w-[400px] flex-wrap items-center gap-3 lg:justify-end">
            {formError !== null && (
              <div role="alert" className="basis-full">
                <FieldError>{formError}</FieldError>
              </div>
            )}
            {step > 1 && (
              <Button variant="quiet" className="lg:mr-auto" onClick={() => goTo(step - 1)}>
                Back
              </Button>
            )}
            <Button type="submit" className="min-w-32 max-lg:grow" busy={isSaving && 'Saving...'}>
              {step < lastStep ? 'Continue' : 'Finish'}
            </Button>
          </div>
        </div>
      </form>
    </StepFrame>
  );
}

/** The profile was completed in another tab or on another device while this page was open. */
const AlreadyComplete = () => (
  <>
    Your profile was completed in another tab or on another device. What you typed here was not saved.{' '}
    {/* A plain link reloads the page, so that this tab loads the new profile. */}
    <a className="link" href={withParam(paths.settings, 'section', 'information')}>
      Edit your profile in the settings
    </a>
  </>
);

function useStep() {
  const [params, setParams] = useSearchParams();
  const requestedStep = Number(params.get('step') ?? 1);
  const step = Number.isInteger(requestedStep) ? Math.min(lastStep, Math.max(1, requestedStep)) : 1;
  return {
    step,
    goTo: (next: number, options: { replace?: boolean } = {}) =>
      setParams(next === 1 ? {} : { step: String(next) }, options),
  };
}

/** Editing the URL must not lead past this step. */
function findFirstInvalidStep(schema: ReturnType<typeof createOnboardingSchema>, values: unknown): number {
  const parsed = schema.safeParse(values);
  if (parsed.success) return lastStep;
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]));
  return onboardingSteps.findIndex(({ fields }) => fields.some((name) => wrong.has(name))) + 1;
}

/**
 * Restores the values typed before a reload, or imported from an earlier system, and saves new values as a draft.
 * @returns whether the values have been restored
 */
function useDraft(
  uid: string,
  { getValues, reset, watch }: Pick<UseFormReturn<OnboardingValues>, 'getValues' | 'reset' | 'watch'>,
): boolean {
  const [isRestored, setIsRestored] = useState(false);
  useEffect(() => {
    let isMounted = true;
    const restore = (values: Partial<OnboardingValues>) => {
      if (!isMounted) return;
      // Values typed before hydration, or before the response arrived, take precedence.
      const typed = Object.fromEntries(Object.entries(getValues()).filter(([, value]) => Boolean(value)));
      if (Object.keys(values).length > 0) reset({ ...emptyForm, ...values, ...typed });
      setIsRestored(true);
    };
    const draft = readDraft(onboardingDraft, uid) as Partial<OnboardingValues> | null;
    if (draft) restore(draft);
    else void fetchImportedFields(uid).then(restore);
    const { unsubscribe } = watch((values) => writeDraft(onboardingDraft, uid, values));
    return () => {
      isMounted = false;
      unsubscribe();
    };
  }, [uid, getValues, reset, watch]);
  return isRestored;
}

const fetchImportedFields = (uid: string): Promise<Record<string, string>> =>
  callApi('GET /api/users/{id}/unfinished', { params: { id: uid } }).then(
    ({ fields }) => fields,
    () => ({}),
  );
