import { useEffect, useEffectEvent, useRef } from 'react';
import { useLoaderData } from 'react-router';
import type { Claimant } from '#contract/membership.ts';
import { paths } from '#web/domain/paths.ts';
import { Portrait } from '#web/domain/portrait.tsx';
import { reword } from '#web/platform/words.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import type { PageForm } from '#web/ui/use-form.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import type { VouchData } from './loaders.ts';
import { ResultNote } from './result-note.tsx';
import { type Answer, vouchForm } from './forms.ts';
import { useMembershipForm } from './use-membership-form.ts';

const answerLabels: Record<Answer, { readonly label: string; readonly effect: string }> = {
  yes: { label: 'Yes, I am sure', effect: 'Two people must say yes' },
  unsure: { label: 'I am not sure', effect: 'Does not count for or against' },
  no: { label: 'No, it is someone else', effect: 'The alumni office can see it' },
};

const refusalTexts: Record<Exclude<Claimant['refusal'], null>, string> = {
  'not-confirmed':
    'You can answer once you are confirmed by something other than classmates, for example by a code or the alumni office.',
  'too-new': 'You can answer when you have been a confirmed member for seven days.',
  'other-class': 'Only members of the same department who graduated within a year of this person can answer.',
  limit: 'You have answered for five people in the last 30 days. Try again later.',
  suspended: 'You cannot answer for other people at the moment. Write to the alumni office if this is wrong.',
  own: 'This is your own link. Send it to people from your class.',
  decided: 'This person does not need an answer any more. Thank you.',
};

export function VouchPage() {
  const { claimant } = useLoaderData<VouchData>();
  const form = useMembershipForm(vouchForm);
  return (
    <div className="page grid gap-5">
      <h1 className="text-xl font-bold lg:text-2xl">Do you know this person?</h1>
      {claimant ? <Question claimant={claimant} form={form} /> : <Refusal refusal="not-confirmed" />}
    </div>
  );
}

function Result({ form: { result, submitAgain } }: { form: PageForm }) {
  const note = useRef<HTMLDivElement>(null);
  const dialog = useLazyComponent(async () => ({
    default: (await import('#web/domain/password-dialog.tsx')).PasswordDialog,
  }));
  const askForPassword = useEffectEvent(() => {
    // A form that was sent before the scripts ran cannot be submitted again. The message says what to do.
    if (submitAgain() !== null) dialog.open();
  });
  useEffect(() => {
    if (result?.code === 'auth/requires-recent-login') askForPassword();
    if (result?.success) note.current?.focus();
  }, [result]);
  return (
    <>
      <div ref={note} tabIndex={-1} className="not-has-[p]:absolute">
        <ResultNote result={result} />
      </div>
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

const Explanation = ({ firstName }: { firstName: string }) => (
  <p className="text-ink-soft">
    You can be sure if {firstName} sent you the link from a number or account that you know, or gave it to you in
    person. If a stranger sent it, or you found it in a group, choose{' '}
    <span className="whitespace-nowrap">“I am not sure”.</span> The person does not see who gave which answer.
  </p>
);

function Question({ claimant, form }: { claimant: Claimant; form: PageForm }) {
  const { name, firstName, thumb, accountCreatedAt, department, yearGraduated, answer, isRepresentative, refusal } =
    claimant;
  const isAnswered = form.result?.success !== undefined;
  return (
    <section className="grid grid-cols-[6rem_minmax(0,1fr)] items-start gap-4 lg:grid-cols-[14rem_minmax(0,1fr)] lg:grid-rows-[auto_1fr] lg:gap-x-12">
      <div className="max-lg:contents lg:row-span-2 lg:grid lg:gap-2">
        <Portrait card={{ name, thumb }} />
        {thumb !== null && (
          <p className="text-sm text-ink-soft max-lg:order-1 max-lg:col-span-2">
            The account added this picture. No one has checked it.
          </p>
        )}
      </div>
      <div className="grid gap-0.5">
        <p className="year mb-1.5 text-[2.5rem] text-brand">{yearGraduated}</p>
        <h2 className="text-lg font-bold wrap-break-word">{name}</h2>
        <p className="wrap-break-word text-ink-soft">{department}</p>
        <p className="text-sm text-ink-soft">
          Account created on{' '}
          <span className="whitespace-nowrap">
            <Day of={accountCreatedAt} />
          </span>
        </p>
      </div>
      <div className="grid max-w-[44rem] content-start gap-4 max-lg:order-2 max-lg:col-span-2">
        {refusal === null && !isAnswered && <Explanation firstName={firstName} />}
        {refusal === null && !isAnswered && isRepresentative && (
          <p className="rounded-control bg-wash p-3">
            You are the representative of this class: your “Yes” alone confirms this person, unless the alumni office
            must decide.
          </p>
        )}
        <Result form={form} />
        {isAnswered && answer !== null && (
          <p className="-mb-3">
            Your answer: <strong>{answerLabels[answer].label}</strong>
          </p>
        )}
        {refusal === null ? (
          // The form stays the same element, because the password dialog submits it again.
          <details key={answer} open={!isAnswered}>
            <summary hidden={!isAnswered} className="link flex min-h-11 w-fit cursor-pointer items-center">
              Change my answer
            </summary>
            <AnswerForm claimant={claimant} form={form} />
          </details>
        ) : (
          !isAnswered && <Refusal refusal={refusal} />
        )}
        {isAnswered && (
          <ButtonLink variant="quiet" className="justify-self-start" to={paths.classOf(department, yearGraduated)}>
            See the class of {yearGraduated}
          </ButtonLink>
        )}
      </div>
    </section>
  );
}

function AnswerForm({ claimant, form }: { claimant: Claimant; form: PageForm }) {
  const { firstName, version, answer, isRepresentative } = claimant;
  return (
    <form method="post" className="grid gap-2" {...form.props}>
      <p className="pb-1 font-semibold wrap-break-word">
        Did {firstName} send you this link in a way that makes you sure it is them?
      </p>
      <input type="hidden" name="version" value={version} />
      {(Object.keys(answerLabels) as Answer[]).map((value) => (
        <Button
          key={value}
          type="submit"
          name="intent"
          value={value}
          variant={value === answer ? 'strong' : 'quiet'}
          className="flex-col items-start! gap-0! text-left"
          aria-pressed={value === answer}
          aria-describedby={`effect-${value}`}
          busy={form.busy('Saving...', value)}
        >
          {answerLabels[value].label}
          <span
            id={`effect-${value}`}
            aria-hidden="true"
            className={`text-sm font-normal ${value === answer ? '' : 'text-ink-soft'}`}
          >
            {value === 'yes' && isRepresentative ? 'Yours alone is enough' : answerLabels[value].effect}
          </span>
        </Button>
      ))}
    </form>
  );
}

function Refusal({ refusal }: { refusal: keyof typeof refusalTexts }) {
  return <p className="max-w-[44rem] rounded-control bg-wash p-3">{reword(refusalTexts[refusal])}</p>;
}
