import { type ReactNode, useState } from 'react';
import type { ClaimCandidate, StaffClaim, StaffName } from '#contract/staff/claims.ts';
import type { claimReasons } from '#contract/staff/values.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { MembershipHistory } from '../membership-history.tsx';
import { Section } from '../ui/section.tsx';
import { CompareTable } from './compare-table.tsx';
import { type DecisionAction, DecisionBar, useIsClosed } from './decision-bar.tsx';
import { ChoicePanel, TextPanel, vouchingNote } from './decision-panels.tsx';
import { AccountLine, EvidenceList, Quote, WithdrawalLink } from './facts.tsx';
import { AskPanel, Questions } from './questions.tsx';
import { type ReviewDetailProps, defineReviewDetail } from './review-detail.ts';

/** Stored with the evidence. */
const documents = ['Passport', 'Student ID', 'Certificate', 'I know this person'];

/** The user reads these reasons. */
const rejections = [
  {
    label: 'Not found',
    text: 'We could not confirm you with these details. Check your matric number, or bring a document to the alumni office.',
  },
  {
    label: 'Document needed',
    text: 'We could not confirm you with the details you gave. Show the alumni office a document, such as your certificate or student ID.',
  },
  {
    label: 'Did not study here',
    text: 'We found no record that you studied here. If this is wrong, bring a document to the alumni office.',
  },
];

type Reasons = Record<(typeof claimReasons)[number], string>;

export const claimDetail = defineReviewDetail<StaffClaim, 'claim'>({
  label: 'Claim',
  pluralLabel: 'Claims',
  reasons: {
    disputed: 'lost the entry to another account',
    rejected: 'again after a rejection',
    contested: 'evidence to check',
    vouched: 'classmates have answered',
    agrees: 'agrees completely with one entry',
    'not-found': 'no automatic match',
  } satisfies Reasons,
  outcomes: { confirm: 'Confirmed', reject: 'Rejected', withdrawn: 'Withdrawn by the person', expired: 'Expired' },
  load: (call, id) => call('GET /api/staff/claims/{id}', { params: { id } }),
  takeBack: ({ account }) =>
    account.status === 'confirmed' && (
      <>
        This person is confirmed. To take that back, <WithdrawalLink accountId={account.id} />.
      </>
    ),
  Component: ClaimDetail,
});

function ClaimDetail({ data: claim, notes, onDecide, onChanged, failed }: ReviewDetailProps<StaffClaim, 'claim'>) {
  const { agreeing, candidates, vouches } = claim;
  const isClosed = useIsClosed();
  const [chosenId, setChosenId] = useState(() =>
    failed?.outcome === 'confirm' ? failed.entryId : findSuggestedId(candidates),
  );
  const [shownId, setShownId] = useState(chosenId ?? candidates[0]?.entry.id ?? null);
  const chosenAt = candidates.findIndex(({ entry }) => entry.id === chosenId);
  const [areAllShown, setAreAllShown] = useState(chosenAt >= bestCandidates);
  const shownCandidates = areAllShown ? candidates : candidates.slice(0, bestCandidates);
  const moreCount = candidates.length - bestCandidates;
  function fold() {
    setAreAllShown(false);
    // The chosen entry must be visible.
    if (chosenAt >= bestCandidates) setChosenId(null);
    setShownId(candidates[0]?.entry.id ?? null);
  }
  const answers = vouches.yes + vouches.unsure + vouches.no;
  const canAsk = claim.questions.at(-1)?.answeredAt !== null;
  const askPanel = canAsk ? <AskPanel claim={claim} onChanged={onChanged} /> : null;
  const actions = listActions({ hasCandidates: candidates.length > 0, chosenAt, chosenId, askPanel, onDecide, failed });
  return (
    <>
      <div className="-mt-4">
        <AccountLine account={claim.account} />
      </div>
      {claim.note !== '' && <Quote label="Note from the claimant">{claim.note}</Quote>}
      {claim.questions.length > 0 && <Questions claim={claim} onChanged={onChanged} />}
      <CampusNote claim={claim} />
      {agreeing && (
        <p className="rounded-control bg-wash px-4 py-2.5">
          Number, birth date, names and class are those of one entry. Others may know them too.
          {agreeing.toldAt !== null && (
            <>
              {' '}
              The email address of the entry was asked on <Day of={agreeing.toldAt} />.
            </>
          )}
        </p>
      )}
      {agreeing?.objectedAt && (
        <Quote label="The address of the entry says that it is someone else">{agreeing.objection || 'No text'}</Quote>
      )}
      {candidates.length === 0 && (
        <p className="rounded-control bg-wash px-4 py-2.5">
          No roster entry is similar. Ask for a document. Then confirm without an entry, or reject the claim.
        </p>
      )}
      {!isClosed && candidates.length > 0 && chosenAt < 0 && (
        <p className="rounded-control bg-wash px-4 py-2.5">
          {candidates.some(hasClaimedNumber)
            ? 'Choose the entry that you want to confirm.'
            : 'No entry has the number of the claim. Choose an entry only if a document shows that it is this person.'}
        </p>
      )}
      <CompareTable
        label="The claim beside roster entries"
        reference={{
          heading: 'Claim',
          detail: (
            <>
              typed <Day of={claim.updatedAt} />
            </>
          ),
          values: claim.typed,
        }}
        columns={shownCandidates.map((candidate, at) => ({
          key: String(candidate.entry.id),
          heading: `Entry ${at + 1}`,
          detail: standingOf(candidate),
          values: candidate.entry,
          agreement: candidate.agreement,
        }))}
        choice={
          isClosed
            ? undefined
            : { chosen: chosenId === null ? null : String(chosenId), onChoose: (key) => setChosenId(Number(key)) }
        }
        shown={String(shownId)}
        onShow={(key) => {
          setShownId(Number(key));
          // Phones must not confirm an entry that they do not show.
          if (Number(key) !== chosenId) setChosenId(null);
        }}
      />
      {moreCount > 0 && (
        <div className="-mt-3">
          <Button
            variant="bare"
            className="-ml-4"
            aria-expanded={areAllShown}
            onClick={areAllShown ? fold : () => setAreAllShown(true)}
          >
            {areAllShown
              ? `Compare only the first ${bestCandidates}`
              : `Compare ${moreCount} more ${moreCount === 1 ? 'entry' : 'entries'}`}
          </Button>
        </div>
      )}
      {!isClosed && chosenAt >= 0 && candidates[chosenAt] && <Warning candidate={candidates[chosenAt]} at={chosenAt} />}
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <Section heading="Evidence">
          {(claim.evidence.length > 0 || answers === 0) && <EvidenceList evidence={claim.evidence} />}
          {answers > 0 && (
            <p>
              Classmates who were asked: {vouches.yes} yes, {vouches.unsure} not sure, {vouches.no} no.
            </p>
          )}
        </Section>
        <MembershipHistory accountId={claim.account.id} />
        {notes}
      </div>
      <DecisionBar actions={actions} openAtFirst={openAtFirst(failed)} />
    </>
  );
}

const affiliationTexts = {
  student: 'says that this is a student',
  alum: 'says that this is a graduate',
  none: 'does not say whether this is a student or graduate',
};

function CampusNote({ claim: { campus, sharesCampusAccountWith: others } }: { claim: StaffClaim }) {
  const office = useRootData().institution.abbreviation;
  return (
    <>
      {campus && (
        <p className="rounded-control bg-wash px-4 py-2.5">
          {office} {affiliationTexts[campus.affiliation ?? 'none']}. The name{' '}
          {campus.areNamesSame ? 'matches' : 'does not match'} this claim.
        </p>
      )}
      {others.length > 0 && (
        <p className="rounded-control bg-danger-soft px-4 py-2.5 text-sm wrap-anywhere">
          <strong>One university account belongs to one person.</strong> The {office} account of this claim was also
          used by {listFormat.format(others.map(nameOf))}.
        </p>
      )}
    </>
  );
}

const nameOf = (account: StaffName | null): string =>
  account ? `${account.name ?? account.email} (${account.email})` : 'an account outside your scope';

const bestCandidates = 3;

const hasClaimedNumber = ({ agreement }: ClaimCandidate): boolean => agreement.matricNumber === 'same';

/** Staff choose an entry with another number themselves, so that none is confirmed by a habit. */
const findSuggestedId = (candidates: readonly ClaimCandidate[]): number | null =>
  candidates.find(hasClaimedNumber)?.entry.id ?? null;

function standingOf({ entry, heldBy }: ClaimCandidate): string {
  const parts = [entry.status, entry.college];
  if (heldBy) parts.push(heldBy.isClaimant ? 'their own' : 'taken');
  return parts.filter(Boolean).join(' · ');
}

const listFormat = new Intl.ListFormat('en-GB');

function Warning({ candidate: { entry, heldBy, agreement }, at }: { candidate: ClaimCandidate; at: number }) {
  const holder = heldBy && !heldBy.isClaimant ? heldBy : null;
  const hasOtherName = [agreement.lastName, agreement.firstName].every(
    (name) => name === 'differs' || name === 'missing',
  );
  const hasOtherNumber = agreement.matricNumber === 'differs' || agreement.matricNumber === 'one-edit';
  const others = [
    ...(hasOtherNumber ? ['matric number'] : []),
    ...(hasOtherName ? ['name'] : []),
    ...(agreement.birthDate === 'differs' ? ['birth date'] : []),
  ];
  if (!holder && others.length === 0 && !entry.isRestricted) return null;
  return (
    <div className="grid gap-1 rounded-control bg-danger-soft px-4 py-2.5 text-sm">
      {others.length > 0 && (
        <p>
          <strong>
            Entry {at + 1} has another {listFormat.format(others)}.
          </strong>{' '}
          It may be another person. Confirm it only after you have seen a document{hasOtherName && ' with both names'}.
        </p>
      )}
      {holder && (
        <p className="wrap-anywhere">
          <strong>Entry {at + 1} is taken</strong> by {nameOf(holder.account)}, with {holder.assurance} evidence. If you
          confirm this claim, {holder.assurance === 'moderate' && 'that account loses the entry, and '}a dispute between
          the two accounts opens in the queue.
        </p>
      )}
      {entry.isRestricted && (
        <p>
          <strong>Check entry {at + 1} carefully.</strong> It is confidential or contested, belongs to a person who has
          died, or is no longer on the roster.
        </p>
      )}
    </div>
  );
}

interface ActionInput extends Pick<ReviewDetailProps<StaffClaim, 'claim'>, 'onDecide' | 'failed'> {
  hasCandidates: boolean;
  chosenAt: number;
  chosenId: number | null;
  askPanel: ReactNode;
}

function openAtFirst(failed: ReviewDetailProps<StaffClaim, 'claim'>['failed']): string | undefined {
  if (failed?.outcome === 'reject') return 'reject';
  return failed?.outcome === 'confirm' ? (failed.entryId === null ? 'no-entry' : 'confirm') : undefined;
}

function listActions({ hasCandidates, chosenAt, chosenId, askPanel, onDecide, failed }: ActionInput): DecisionAction[] {
  const seen = failed?.outcome === 'confirm' ? failed.seen : '';
  const choosePanel = (title: string, entryId: number | null) => (
    <ChoicePanel
      title={title}
      hint="Your answer confirms the claim and is stored with the evidence. Do not write birth dates or document numbers."
      choices={documents}
      otherLabel="Something else"
      action="Confirm"
      {...(!documents.includes(seen) && { initialText: seen })}
      onChoose={(text) => onDecide({ outcome: 'confirm', entryId, seen: text })}
    />
  );
  return [
    ...(chosenAt >= 0
      ? ([
          {
            id: 'confirm',
            label: `Confirm entry ${chosenAt + 1}`,
            shortcut: 'a',
            variant: 'strong',
            panel: choosePanel(`What did you see that shows that this is entry ${chosenAt + 1}?`, chosenId),
          },
        ] as const)
      : []),
    ...(hasCandidates && chosenAt < 0
      ? ([
          {
            id: 'choose',
            label: 'Choose an entry above',
            shortcut: 'a',
            isDisabled: true,
            panel: null,
          },
        ] as const)
      : []),
    ...(askPanel ? ([{ id: 'ask', label: 'Ask', shortcut: 'q', panel: askPanel }] as const) : []),
    // Away from the button that confirms an entry.
    {
      id: 'no-entry',
      label: 'Confirm without an entry',
      shortcut: 'o',
      panel: choosePanel('Confirm without an entry: what did you see?', null),
    },
    {
      id: 'reject',
      label: 'Reject',
      shortcut: 'r',
      variant: 'danger',
      panel: (
        <TextPanel
          title="Reject this claim?"
          hint="The account remains. The claimant reads your reason and can send the claim again."
          label="Reason (the claimant reads it)"
          presets={rejections}
          isRequired
          checkbox={`The claimant pretended to be another person. ${vouchingNote}`}
          action="Reject"
          variant="danger"
          {...(failed?.outcome === 'reject' && {
            initialText: failed.reason,
            initiallyChecked: failed.isImpostor ?? false,
          })}
          onDecide={(reason, isImpostor) => onDecide({ outcome: 'reject', reason, isImpostor })}
        />
      ),
    },
  ];
}
