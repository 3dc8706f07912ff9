import type { ReactNode } from 'react';
import type { Membership } from '#contract/membership.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Button } from '#web/ui/button.tsx';
import { AsideSection } from '#web/ui/column-page.tsx';
import { Day } from '#web/ui/day.tsx';
import { Icon } from '#web/ui/icon.tsx';
import type { IconName } from '#web/ui/icon-names.ts';
import type { PageForm } from '#web/ui/use-form.ts';
import { ListForm, listResultOf } from './methods.tsx';
import { Question } from './question.tsx';
import { ResultNote } from './result-note.tsx';
import { Steps } from './steps.tsx';

export function headingOf({ status, isWaiting, question, confirmBy }: Membership): ReactNode {
  if (status === 'disputed') return 'Another person says that they are you';
  if (isWaiting && question?.answeredAt === null) return 'The alumni office has a question';
  if (isWaiting) return 'Your request is with the alumni office';
  if (status === 'rejected') return 'The alumni office could not confirm you';
  if (confirmBy === null) return 'Confirm that you studied here';
  return (
    <>
      You are a member until <Day of={confirmBy} />
    </>
  );
}

/** What follows, and what else helps. The steps of a request that waits are in the page itself. */
export function ConfirmAside({ membership: { isWaiting, status, usualDays, accepts } }: { membership: Membership }) {
  return (
    <>
      {!isWaiting && status !== 'disputed' && accepts.includes('staff-review') && (
        <AsideSection title="What happens next">
          <Steps
            steps={[
              { title: 'You choose a way', detail: 'Some ways confirm you at once.', state: 'current' },
              { title: 'The alumni office checks, if needed', detail: describeWait(usualDays), state: 'open' },
              { title: 'You get the answer by email', detail: null, state: 'open' },
            ]}
          />
        </AsideSection>
      )}
      {status === 'unconfirmed' && (
        <AsideSection title="What members can do">
          <ul className="grid gap-2 text-sm">
            {memberRights.map(([icon, text]) => (
              <li key={icon} className="flex items-start gap-3">
                <Icon name={icon} className="size-5 shrink-0 text-brand" />
                {text}
              </li>
            ))}
          </ul>
        </AsideSection>
      )}
      <AsideSection title={status === 'disputed' ? 'How to show who you are' : 'None of these ways works?'}>
        <p className="text-sm text-ink-soft">
          Take your ID card, admission letter or statement of result to the alumni office.
        </p>
      </AsideSection>
    </>
  );
}

const memberRights: readonly (readonly [IconName, string])[] = [
  ['users-round', 'See what people share with members, such as phone numbers'],
  ['mail-check', 'Write to people through the archive'],
  ['images', 'Add photos of your class'],
  ['user-round', 'Be found by your classmates'],
];

const describeWait = (usualDays: number | null): string =>
  usualDays === null
    ? 'A person does this, so it can take some days.'
    : `Others usually get an answer within ${usualDays} ${usualDays === 1 ? 'day' : 'days'}.`;

export function Status({ membership, form }: { membership: Membership; form: PageForm }) {
  const { status, isWaiting, claim, confirmBy } = membership;
  const { institution, user } = useRootData();
  return (
    <div className="grid gap-4 [&>p]:max-w-[60ch]">
      {status === 'disputed' && (
        <>
          <p>
            Your account was confirmed as a person on the university’s list, and someone else says that they are this
            person. Until this is decided you see what guests see, and your profile is hidden. Nothing was deleted.
          </p>
          {!isWaiting && (
            <Steps
              steps={[
                {
                  title: 'The alumni office finds out who is right',
                  detail: `${describeWait(null)} It helps if you go there with a document.`,
                  state: 'current',
                },
                { title: 'You get the answer by email', detail: user?.email, state: 'open' },
              ]}
            />
          )}
        </>
      )}
      {isWaiting && <Waiting membership={membership} form={form} />}
      {status === 'rejected' && !isWaiting && (
        <>
          {claim?.state === 'rejected' && claim.reason !== '' && (
            <p className="border-l-3 border-brand pl-4 whitespace-pre-line wrap-anywhere">“{claim.reason}”</p>
          )}
          <p>Check what you typed, and try again in one of the ways below.</p>
        </>
      )}
      {status === 'unconfirmed' &&
        (confirmBy !== null ? (
          <p>
            {institution.name} now confirms each member. If you confirm before that day, nothing changes for you. After
            it you see only what guests see, and your profile is hidden until you confirm. Nothing is deleted.
          </p>
        ) : (
          !isWaiting && (
            <p className="text-ink-soft">
              Members of this archive see phone numbers and addresses, so {institution.name} confirms each of them
              first. Until you are confirmed you see what guests see, and only you see your profile.
            </p>
          )
        ))}
    </div>
  );
}

function Waiting({ membership, form }: { membership: Membership; form: PageForm }) {
  const { claim, question, usualDays, accepts } = membership;
  const { user } = useRootData();
  const result = form.result?.intent === 'withdraw' ? form.result : undefined;
  return (
    <>
      {question && <Question question={question} form={form} />}
      <Steps
        steps={[
          { title: 'You sent your request', detail: claim && <Day of={claim.createdAt} />, state: 'done' },
          {
            title: 'The alumni office compares it with the university’s list',
            detail: describeWait(usualDays),
            state: 'current',
          },
          { title: 'You get the answer by email', detail: user?.email, state: 'open' },
        ]}
      />
      {claim && (
        <section className="grid gap-3 border-y border-line py-4">
          <h2 className="font-bold">What you sent</h2>
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1">
            <dt className="text-ink-soft">Matric number</dt>
            <dd className="nums wrap-break-word">{claim.matricNumber}</dd>
            <dt className="text-ink-soft">Date of birth</dt>
            <dd>
              <Day of={claim.dob} />
            </dd>
          </dl>
          <p className="text-sm text-ink-soft">If one of them is wrong, change your request.</p>
          <div className="flex flex-wrap items-start gap-3">
            {(accepts.includes('roster-email') || accepts.includes('staff-review')) && (
              <details name="way" open={listResultOf(form) !== undefined} className="open:w-full">
                <summary className="inline-flex min-h-11 list-none items-center rounded-control border border-line-strong bg-raised px-4 py-2 font-semibold hover:border-ink-soft hover:bg-wash [&::-webkit-details-marker]:hidden">
                  Change my request
                </summary>
                <div className="max-w-[60ch] py-4">
                  <ListForm membership={membership} form={form} />
                </div>
              </details>
            )}
            <form method="post" className="grid gap-3" {...form.props}>
              <Button
                type="submit"
                variant="bare"
                name="intent"
                value="withdraw"
                className="justify-self-start max-sm:-ml-4"
                busy={form.busy('Withdrawing...', 'withdraw')}
              >
                Withdraw my request
              </Button>
              <ResultNote result={result} />
            </form>
          </div>
        </section>
      )}
    </>
  );
}
