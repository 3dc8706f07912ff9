import { useState } from 'react';
import type { PersonFile } from '#contract/staff/people.ts';
import { disclosureMinutes } from '#contract/staff/people-values.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { roleNames } from '../staff-labels.ts';
import { staffPath } from '../staff-paths.ts';
import { Definition, Definitions } from '../ui/definitions.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Section } from '../ui/section.tsx';
import type { KeptTexts } from '../ui/use-kept-texts.ts';
import { Time } from '../ui/time.tsx';
import { LookDialog } from './look-dialog.tsx';
import { identityOf, nameOf } from './people-labels.ts';
import { PersonActions } from './person-actions.tsx';
import { MembershipHistory } from '../membership-history.tsx';
import { PersonItems } from './person-items.tsx';
import { PersonMembership } from './person-membership.tsx';
import { ProfileDetails } from './profile-details.tsx';
import { StatePills } from './state-pills.tsx';
import { type RunAction, useActions } from '../use-actions.tsx';
import { useRights } from '../use-rights.ts';

export interface PersonData {
  readonly kind: 'person';
  readonly person: PersonFile;
}

export function Person({ person }: { person: PersonFile }) {
  const rights = useRights();
  const { run, dialog } = useActions();
  const { states, roles, protection } = person;
  return (
    <>
      <PageHeader
        back={{ to: staffPath('people'), label: 'People' }}
        title={nameOf(person)}
        lead={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="nums wrap-anywhere">{identityOf(person)}</span>
            <span className="flex flex-wrap gap-1">
              <StatePills states={states} />
            </span>
          </span>
        }
      />
      {protection !== null && (
        <p className="max-w-[66ch] rounded-card bg-wash p-3 text-sm">{protectionTexts[protection]}</p>
      )}
      <div className="with-aside">
        <div className="grid content-start gap-8">
          <Details person={person} run={run} />
        </div>
        <div className="grid content-start gap-8">
          <Account person={person} />
          {person.membership && <PersonMembership membership={person.membership} />}
          <PersonItems file={person} />
          {person.membership && <MembershipHistory accountId={person.id} file={person} />}
          {protection === null && <PersonActions person={person} rights={rights} run={run} />}
        </div>
      </div>
      {roles.length > 0 && (
        <p className="text-sm text-ink-soft">Staff: {roles.map((role) => roleNames[role]).join(', ')}</p>
      )}
      {dialog}
    </>
  );
}

const protectionTexts: Record<NonNullable<PersonFile['protection']>, string> = {
  yourself: 'This is your own account. Change it in the settings.',
  owner:
    'This person is an owner, or waits for approval as an owner. Only the operator of the server can action on this account.',
  staff: 'This person is staff. Only an owner can action on this account.',
};

/** What members see, or everything while a look is open. */
function Details({ person, run }: { person: PersonFile; run: RunAction }) {
  const [isAsking, setIsAsking] = useState(false);
  const [kept] = useState<KeptTexts>(() => new Map());
  const { hidden, profile, protection } = person;
  if (hidden)
    return (
      <Section
        heading="Everything in the profile"
        hint={
          <>
            You gave a reason to see this. It is shown until <Time of={hidden.until} />, and the person can read when
            and why you looked.
          </>
        }
      >
        {(hidden.profile === null || hidden.pendingEmail !== null) && (
          <Definitions>
            <Definition term="Email">{hidden.email}</Definition>
            {hidden.pendingEmail !== null && <Definition term="New address">{hidden.pendingEmail}</Definition>}
          </Definitions>
        )}
        {hidden.profile && <ProfileDetails profile={hidden.profile} />}
      </Section>
    );
  return (
    <Section heading="What members see" hint={profile ? undefined : 'Members do not see this person.'}>
      {profile && <ProfileDetails profile={profile} />}
      {protection === null && (
        <div className="grid justify-items-start gap-2 rounded-card border border-line p-4">
          <p className="max-w-[60ch] text-sm text-ink-soft">
            This person may hide more details. If you have a reason, you can see them for {disclosureMinutes} minutes.
            The person can read the reason in their settings.
          </p>
          <Button variant="quiet" onClick={() => setIsAsking(true)}>
            Show hidden details
          </Button>
        </div>
      )}
      {isAsking && <LookDialog person={person} kept={kept} run={run} onClose={() => setIsAsking(false)} />}
    </Section>
  );
}

function Account({
  person: { account, createdAt, lastSeenAt, reports, disclosures, suspendedUntil, isDisabled },
}: {
  person: PersonFile;
}) {
  return (
    <Section heading="Account">
      <Definitions>
        <Definition term="Created">
          <Day of={createdAt} />
        </Definition>
        <Definition term="Last used">
          <Day of={lastSeenAt} />
        </Definition>
        {account && (
          <>
            <Definition term="Signed in on">
              {account.sessions === 1 ? '1 device' : `${account.sessions} devices`}
            </Definition>
            <Definition term="Two-step sign-in">{account.hasSecondFactor ? 'On' : 'Off'}</Definition>
            <Definition term="Email delivery">
              {account.mailFailedAt === null ? (
                'Works'
              ) : (
                <>
                  Failing since <Day of={account.mailFailedAt} />
                </>
              )}
            </Definition>
            {account.hasPendingEmail && (
              <Definition term="New address">Not confirmed yet: the link has not been opened</Definition>
            )}
            {account.deletesAt !== null && (
              <Definition term="Deleted on">
                <Day of={account.deletesAt} />
              </Definition>
            )}
          </>
        )}
        {suspendedUntil !== null && (
          <Definition term="Suspended until">
            <Day of={suspendedUntil} />
          </Definition>
        )}
        {isDisabled && (
          <Definition term="Disabled">By the operator of the server. Only the operator can enable it</Definition>
        )}
        {reports && (
          <Definition term="Reports">
            {reports.open} open, {reports.closed} closed
          </Definition>
        )}
        <Definition term="Hidden details">
          {disclosures === 0
            ? 'Never viewed by staff'
            : disclosures === 1
              ? 'Viewed once by staff'
              : `Viewed ${disclosures} times by staff`}
        </Definition>
      </Definitions>
    </Section>
  );
}
