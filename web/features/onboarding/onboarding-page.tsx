import { type ReactNode, useEffect, useMemo, useState } from 'react';
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
  profileForm,
  toDocument,
} from '#contract/profile.ts';
import { deleteDraft, readDraft, writeDraft } from '../../domain/drafts.ts';
import { messageOf } from '../../domain/messages.ts';
import { paths } from '../../domain/paths.ts';
import { fieldsOfStep } from '../../domain/profile-form/fields.tsx';
import { useUser } from '../../domain/root-data.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { FieldError } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { StepFrame } from './step-frame.tsx';

const lastStep = onboardingSteps.length;
const draftName = 'onboarding';

/** The profile's rules, with a picture: section 5 requires one in the onboarding. */
const onboardingForm = (facts: InstitutionFacts) => z.safeExtend(profileForm(facts), { imgURL: PictureValue });

const empty = Object.fromEntries(formFields.map((field) => [field, ''])) as Record<FormField, string>;

/** The five steps (specification, section 4). The step is in the address, so a phone's own Back goes back one step. */
export function OnboardingPage() {
  const facts = useLoaderData<InstitutionFacts>();
  const user = useUser();
  const uid = user?.uid ?? '';
  const schema = useMemo(() => onboardingForm(facts), [facts]);
  const { step, goTo } = useStep();
  const [tried, setTried] = useState<ReadonlySet<number>>(new Set());
  const { form, field } = useSchemaForm(schema, { showAll: tried.has(step) });
  const [isSaving, setSaving] = useState(false);
  const [fault, setFault] = useState<ReactNode>(null);
  const navigate = useNavigate();
  const isDraftBack = useDraft(uid, form);
  useEffect(() => {
    if (!isDraftBack) return;
    const open = firstOpenStep(schema, form.getValues());
    if (step > open) goTo(open, { replace: true });
  }, [isDraftBack, step, schema, form, goTo]);

  const current = onboardingSteps[step - 1] ?? onboardingSteps[0];
  const Fields = fieldsOfStep[step - 1] ?? fieldsOfStep[0];

  async function goOn() {
    setTried(new Set([...tried, step]));
    if (!(await form.trigger([...current.fields], { shouldFocus: true }))) return;
    if (step < lastStep) goTo(step + 1);
    else await form.handleSubmit(finish)();
  }

  async function finish(values: ProfileForm) {
    setSaving(true);
    setFault(null);
    try {
      const profile = await callApi('PUT /api/users/{id}', { params: { id: uid }, body: toDocument(values) });
      deleteDraft(draftName, uid);
      if (user) {
        setUser({
          ...user,
          displayName: `${profile.name.last} ${profile.name.first}`,
          imgURL: profile.imgURL,
          department: profile.academic.department ?? null,
        });
      }
      toast('success', 'Data successfully saved');
      await navigate(paths.dashboard, { replace: true });
    } catch (error) {
      const problem = problemOf(error);
      toast('error', 'Error saving data');
      setFault(problem.code === 'profile-changed' ? <AlreadyComplete /> : messageOf(problem));
      showFaults(problem.errors ?? []);
    } finally {
      setSaving(false);
    }
  }

  /** What only the server could find wrong is shown where it can be put right. */
  function showFaults(faults: readonly { pointer: string; message: string }[]) {
    const wrong = formFields.filter((name) => faults.some(({ pointer }) => pointer === toPointer(name)));
    for (const name of wrong) {
      form.setError(name, { message: faults.find(({ pointer }) => pointer === toPointer(name))?.message ?? '' });
    }
    const place = onboardingSteps.findIndex(({ fields }) =>
      (fields as readonly FormField[]).some((name) => wrong.includes(name)),
    );
    if (place >= 0) goTo(place + 1);
  }

  return (
    <StepFrame step={step} heading={current.heading}>
      <noscript>
        <p className="mb-5 rounded-card border border-brand-line bg-brand-soft p-4">
          You need JavaScript to complete your profile. Turn it on in your browser and reload this page.
        </p>
      </noscript>
      <form
        className="scripted grid gap-5"
        method="dialog"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void goOn();
        }}
      >
        <Fields form={form as never} field={field} facts={facts} />
        {fault !== null && (
          <div role="alert">
            <FieldError>{fault}</FieldError>
          </div>
        )}
        <div className="mt-3 flex items-center justify-between gap-3">
          {step > 1 ? (
            <Button look="quiet" onClick={() => goTo(step - 1)}>
              Back
            </Button>
          ) : (
            <span />
          )}
          <Button type="submit" className="min-w-32" busy={isSaving && 'Saving...'}>
            {step < lastStep ? 'Continue' : 'Finish'}
          </Button>
        </div>
      </form>
    </StepFrame>
  );
}

/** The profile was completed in another tab or on another device while this one was open. */
const AlreadyComplete = () => (
  <>
    Your profile was completed in another tab or on another device. What you typed here was not saved.{' '}
    {/* Not the router's link: this tab has to learn that there is a profile. */}
    <a className="link" href={paths.settings}>
      Edit your profile in the settings
    </a>
  </>
);

/** The step in the address, from 1 to 5 whatever stands there. */
function useStep() {
  const [params, setParams] = useSearchParams();
  const asked = Number(params.get('step') ?? 1);
  const step = Number.isInteger(asked) ? Math.min(lastStep, Math.max(1, asked)) : 1;
  return {
    step,
    goTo: (next: number, options: { replace?: boolean } = {}) =>
      setParams(next === 1 ? {} : { step: String(next) }, options),
  };
}

/** The first step that does not validate yet; nobody gets beyond it by the address alone. */
function firstOpenStep(schema: ReturnType<typeof onboardingForm>, values: unknown): number {
  const parsed = schema.safeParse(values);
  if (parsed.success) return lastStep;
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]));
  return onboardingSteps.findIndex(({ fields }) => fields.some((name) => wrong.has(name))) + 1;
}

/**
 * Brings back what was filled in before a reload, or in the archive before this one, and keeps what is being filled in.
 * @returns whether it is back
 */
function useDraft(
  uid: string,
  {
    getValues,
    reset,
    watch,
  }: {
    getValues: () => object;
    reset: (values: never) => void;
    watch: (callback: (values: object) => void) => { unsubscribe: () => void };
  },
): boolean {
  const [isBack, setBack] = useState(false);
  useEffect(() => {
    let isHere = true;
    const begin = (values: object) => {
      if (!isHere) return;
      if (Object.keys(values).length > 0) reset({ ...empty, ...values } as never);
      setBack(true);
    };
    const draft = readDraft(draftName, uid) as object | null;
    if (draft) begin(draft);
    else {
      void findBrought(uid).then((brought) => {
        // Whoever was quicker than the answer has said it better.
        const typed = Object.entries(getValues()).filter(([, value]) => Boolean(value));
        begin(Object.keys(brought).length > 0 ? { ...brought, ...Object.fromEntries(typed) } : {});
      });
    }
    const { unsubscribe } = watch((values) => writeDraft(draftName, uid, values));
    return () => {
      isHere = false;
      unsubscribe();
    };
  }, [uid, getValues, reset, watch]);
  return isBack;
}

/** What the archive before this one had; nothing where there was none, or it cannot be had now. */
const findBrought = (uid: string): Promise<Record<string, string>> =>
  callApi('GET /api/users/{id}/unfinished', { params: { id: uid } }).then(
    ({ fields }) => fields,
    () => ({}),
  );
