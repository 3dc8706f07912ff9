import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Membership } from '#contract/membership.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Drawing } from '#web/ui/drawing.tsx';
import { ResultNote } from './result-note.tsx';
import type { PageForm } from '#web/ui/use-form.ts';

export function Status({ membership, form }: { membership: Membership; form: PageForm }) {
  const { status, isWaiting, claim, confirmBy } = membership;
  const { institution } = useRootData();
  return (
    <>
      {status === 'unconfirmed' && confirmBy !== null && (
        <Note
          heading={
            <>
              You are a member until <Day of={confirmBy} />
            </>
          }
        >
          <p>
            {institution.name} now confirms each member. If you confirm before that day, nothing changes for you. After
            it you see only what guests see, and your profile is hidden until you confirm. Nothing is deleted.
          </p>
        </Note>
      )}
      {status === 'disputed' && (
        <Note heading="Another person says that they are you">
          <p>
            Your account was confirmed as a person on the university’s list, and someone else says that they are this
            person. The alumni office will find out who is right and write to you. Until then you see what guests see,
            and your profile is hidden. Nothing was deleted.
          </p>
          <p>Take your ID card, admission letter or statement of result to the alumni office.</p>
        </Note>
      )}
      {status === 'rejected' && !isWaiting && (
        <Note heading="The alumni office could not confirm you">
          {claim?.state === 'rejected' && claim.reason !== '' && (
            <p className="whitespace-pre-line">“{claim.reason}”</p>
          )}
          <p>
            Check what you typed, and try again in one of the ways below. You can also take your ID card, admission
            letter or statement of result to the alumni office.
          </p>
        </Note>
      )}
      {isWaiting ? (
        <Waiting membership={membership} form={form} />
      ) : (
        status === 'unconfirmed' &&
        confirmBy === null && (
          <p className="max-w-[60ch] text-ink-soft">
            Members of this archive see phone numbers and addresses, so {institution.name} confirms each of them first.
            Until you are confirmed you see what guests see, and only you see your profile.
          </p>
        )
      )}
    </>
  );
}

function Note({ heading, children }: { heading: ReactNode; children: ReactNode }) {
  return (
    <section className="grid gap-3 border-l-4 border-brand bg-wash p-4">
      <h2 className="text-lg font-bold">{heading}</h2>
      {children}
    </section>
  );
}

function Waiting({ membership: { claim, usualDays }, form }: { membership: Membership; form: PageForm }) {
  const result = form.result?.act === 'withdraw' ? form.result : undefined;
  return (
    <Note heading="Your request is with the alumni office">
      <p>
        {usualDays === null
          ? 'They compare it with the university’s list. You get an email when they have decided.'
          : `Others usually get an answer within ${usualDays} ${usualDays === 1 ? 'day' : 'days'}. You get an email when they have decided.`}
      </p>
      {claim && (
        <>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
            <dt className="text-ink-soft">Matric number</dt>
            <dd className="nums wrap-anywhere">{claim.matricNumber}</dd>
            <dt className="text-ink-soft">Date of birth</dt>
            <dd>
              <Day of={claim.dob} />
            </dd>
            <dt className="text-ink-soft">Sent</dt>
            <dd>
              <Day of={claim.createdAt} />
            </dd>
          </dl>
          <p>Check the matric number. It is on your admission letter, ID card or statement of result.</p>
        </>
      )}
      <form method="post" className="grid gap-3" {...form.props}>
        <Button
          type="submit"
          look="quiet"
          name="act"
          value="withdraw"
          className="justify-self-start"
          busy={form.busy('Withdrawing...', 'withdraw')}
        >
          Withdraw my request
        </Button>
        <ResultNote result={result} />
      </form>
    </Note>
  );
}

export function Confirmed({ membership: { confirmedAt } }: { membership: Membership }) {
  const { user } = useRootData();
  return (
    <div className="page grid max-w-[44rem] justify-items-start gap-4">
      <Drawing name="gown" />
      <h1 className="text-2xl font-bold lg:text-3xl">You are a confirmed member</h1>
      <p>
        {confirmedAt !== null && (
          <>
            Since <Day of={confirmedAt} />.{' '}
          </>
        )}
        You now see what members see, and your class sees you.
      </p>
      <p className="flex flex-wrap gap-3">
        {user?.department && user.yearGraduated && (
          <ButtonLink to={paths.classOf(user.department, user.yearGraduated)}>See your class</ButtonLink>
        )}
        <ButtonLink look="quiet" to={paths.dashboard}>
          Go to the dashboard
        </ButtonLink>
      </p>
      <p className="text-ink-soft">
        Choose who sees what in the{' '}
        <Link className="link" to={withParam(paths.settings, 'section', 'privacy')}>
          privacy settings
        </Link>
        . How you confirmed is in the{' '}
        <Link className="link" to={withParam(paths.settings, 'section', 'membership')}>
          membership settings
        </Link>
        .
      </p>
    </div>
  );
}
