import { useEffect, useEffectEvent } from 'react';
import { useLoaderData } from 'react-router';
import type { Claimant } from '#contract/membership.ts';
import { paths } from '../../domain/paths.ts';
import { useRootData } from '../../domain/root-data.ts';
import { Link } from '../../platform/link.tsx';
import { Button } from '../../ui/button.tsx';
import { Drawing } from '../../ui/drawing.tsx';
import { useLazyComponent } from '../../ui/use-lazy-component.ts';
import type { VouchData } from './loaders.ts';
import { ResultNote } from './result-note.tsx';
import { type Answer, sendVouchForm } from './send-forms.ts';
import { type PageForm, usePageForm } from './use-page-form.ts';

const answerLabels: Record<Answer, string> = { yes: 'I know them', unsure: 'Not sure', no: 'This is someone else' };

const refusalTexts: Record<Exclude<Claimant['refusal'], null>, string> = {
  'not-confirmed':
    'Only members who were confirmed by something other than classmates can answer, for example by a code or the alumni office.',
  'too-new': 'You can answer when you have been a confirmed member for seven days.',
  'other-class': 'Only members of the same department who graduated within a year of this person can answer.',
  limit: 'You have answered for five people in the last 30 days. Try again later.',
  suspended: 'You cannot answer for other people at the moment. Write to the alumni office if this is wrong.',
  own: 'This is your own link. Send it to people from your class.',
  decided: 'This person does not need an answer any more. Thank you.',
};

/** Asks a member about the person behind a link. */
export function VouchPage() {
  const { claimant, code } = useLoaderData<VouchData>();
  const form = usePageForm(sendVouchForm, { code });
  return (
    <div className="page grid max-w-[44rem] gap-5">
      <h1 className="text-2xl font-bold lg:text-3xl">Do you know this person?</h1>
      {claimant ? (
        <>
          {claimant.refusal === null && <Explanation />}
          <Question claimant={claimant} form={form} />
        </>
      ) : (
        <Refusal refusal="not-confirmed" />
      )}
      <Result form={form} />
    </div>
  );
}

/** Lists the people who ask the member by name. */
export function VouchRequestsPage() {
  const claimants = useLoaderData<{ claimants: readonly (Claimant & { readonly id: string })[] } | null>()?.claimants;
  const form = usePageForm(sendVouchForm);
  return (
    <div className="page grid max-w-[44rem] gap-5">
      <h1 className="text-2xl font-bold lg:text-3xl">People who ask whether you know them</h1>
      {!claimants ? (
        <Refusal refusal="not-confirmed" />
      ) : claimants.length === 0 ? (
        <>
          <Drawing name="hall" />
          <p className="text-lg font-semibold">No one is asking you at the moment</p>
        </>
      ) : (
        <>
          <Explanation />
          <ul className="grid gap-8">
            {claimants.map((claimant) => (
              <li key={claimant.id}>
                <Question claimant={claimant} form={form} />
              </li>
            ))}
          </ul>
        </>
      )}
      <Result form={form} />
    </div>
  );
}

/** Shows the messages of the form, and asks for the password if the answer needs it. */
function Result({ form: { result, submitAgain } }: { form: PageForm }) {
  const dialog = useLazyComponent(async () => ({
    default: (await import('../../domain/password-dialog.tsx')).PasswordDialog,
  }));
  const askForPassword = useEffectEvent(() => {
    // A form that was sent before the scripts ran cannot be submitted again. The message says what to do.
    if (submitAgain() !== null) dialog.open();
  });
  useEffect(() => {
    if (result?.needsPassword) askForPassword();
  }, [result]);
  return (
    <>
      <ResultNote result={result} />
      {dialog.Part && (
        <dialog.Part
          onClose={dialog.close}
          onTyped={async () => {
            dialog.close();
            submitAgain()?.();
          }}
        />
      )}
    </>
  );
}

const Explanation = () => (
  <p className="max-w-[60ch] text-ink-soft">
    They say that they studied with you. Choose “I know them” only if you know this person, and are sure that the
    request comes from them. Two people must say so. Choose “This is someone else” if you think that the request does
    not come from this person. The person does not see who gave which answer.
  </p>
);

function Question({ claimant, form }: { claimant: Claimant & { readonly id?: string }; form: PageForm }) {
  const { id, name, department, yearGraduated, version, answer, isRepresentative, refusal } = claimant;
  return (
    <section className="grid gap-4 border-t border-line pt-4">
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <h2 className="text-lg font-bold wrap-anywhere">{name}</h2>
          <p className="text-ink-soft wrap-anywhere">{department}</p>
        </div>
        <p className="year shrink-0 text-3xl text-brand">{yearGraduated}</p>
      </div>
      {refusal === null && isRepresentative && (
        <p className="max-w-[60ch] rounded-control bg-wash p-3">
          You are the representative of this class: your “I know them” alone confirms this person, unless the alumni
          office must decide.
        </p>
      )}
      {refusal === null ? (
        <form method="post" className="flex flex-wrap gap-3" onSubmit={form.submit}>
          {id !== undefined && <input type="hidden" name="id" value={id} />}
          <input type="hidden" name="version" value={version} />
          {(Object.keys(answerLabels) as Answer[]).map((value) => (
            <Button
              key={value}
              type="submit"
              name="act"
              value={value}
              look={value === answer ? 'strong' : 'quiet'}
              aria-pressed={value === answer}
              busy={form.sending === value + (id ?? '') && 'Saving...'}
            >
              {answerLabels[value]}
            </Button>
          ))}
        </form>
      ) : (
        <Refusal refusal={refusal} />
      )}
    </section>
  );
}

function Refusal({ refusal }: { refusal: keyof typeof refusalTexts }) {
  const { user } = useRootData();
  // The page has no ways to confirm for a member whom classmates have confirmed.
  const canConfirm = refusal === 'not-confirmed' && user?.membership?.status !== 'confirmed';
  return (
    <p className="rounded-control bg-wash p-3">
      {refusalTexts[refusal]}{' '}
      {canConfirm && (
        <Link className="link" to={paths.confirm}>
          Confirm that you studied here
        </Link>
      )}
    </p>
  );
}
