import { useState } from 'react';
import type { ClaimCandidate, StaffClaim } from '#contract/staff-claims.ts';
import type { claimReasons } from '#contract/staff-values.ts';
import { Day } from '../../../ui/day.tsx';
import { Section } from '../ui/section.tsx';
import { CompareTable } from './compare-table.tsx';
import { type DecisionAction, DecisionBar } from './decision-bar.tsx';
import { ChoicePanel, TextPanel } from './decision-panels.tsx';
import { AccountLine, EvidenceList, Quote } from './facts.tsx';
import { type ReviewDetailProps, defineReviewDetail } from './review-detail.ts';

/** What staff usually see before they confirm. It is stored with the evidence. */
const documents = ['Passport', 'Student ID', 'Certificate', 'I know this person'];

/** Usual reasons of a rejection. The user reads them. */
const rejections = [
  {
    label: 'Not found',
    text: 'We could not find you on our lists. Check your matric number, or bring a document to the alumni office.',
  },
  {
    label: 'Document needed',
    text: 'Several people fit what you typed. Show the alumni office a document, such as your certificate or student ID.',
  },
  { label: 'Did not study here', text: 'Our records show that you did not study here.' },
];

type Reasons = Record<(typeof claimReasons)[number], string>;

export const claimDetail = defineReviewDetail<StaffClaim>({
  label: 'Claim',
  pluralLabel: 'Claims',
  reasons: {
    disputed: 'lost the entry to another account',
    rejected: 'claims again after a rejection',
    contested: 'another account holds the entry',
    vouched: 'classmates have answered',
    'not-found': 'no automatic match',
  } satisfies Reasons,
  outcomes: { confirm: 'Confirmed', reject: 'Rejected' },
  load: (call, id) => call('GET /api/staff/claims/{id}', { params: { id } }),
  Component: ClaimDetail,
});

function ClaimDetail({ data: claim, notes, onDecide, failed }: ReviewDetailProps<StaffClaim>) {
  const { candidates, vouches, earlier } = claim;
  const [chosenId, setChosenId] = useState(
    (failed?.outcome === 'confirm' && failed.entryId) || (candidates[0]?.entry.id ?? null),
  );
  const chosenAt = candidates.findIndex(({ entry }) => entry.id === chosenId);
  const answers = vouches.yes + vouches.unsure + vouches.no;
  return (
    <>
      <div className="-mt-4">
        <AccountLine account={claim.account} />
      </div>
      {claim.note !== '' && <Quote label="The claimant writes">{claim.note}</Quote>}
      {candidates.length === 0 && (
        <p className="rounded-control bg-wash px-4 py-2.5">
          No entry of the roster is similar. Ask for a document, then confirm without an entry, or reject.
        </p>
      )}
      <CompareTable
        label="The claim beside entries of the roster"
        reference={{
          heading: 'Claim',
          detail: (
            <>
              typed <Day of={claim.updatedAt} />
            </>
          ),
          values: claim.typed,
        }}
        columns={candidates.map((candidate, at) => ({
          key: String(candidate.entry.id),
          heading: `Entry ${at + 1}`,
          detail: standingOf(candidate),
          values: candidate.entry,
          agreement: candidate.agreement,
        }))}
        chosen={String(chosenId)}
        onChoose={(key) => setChosenId(Number(key))}
      />
      {chosenAt >= 0 && candidates[chosenAt] && <Warning candidate={candidates[chosenAt]} at={chosenAt} />}
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        <Section heading="Evidence">
          <EvidenceList evidence={claim.evidence} />
        </Section>
        <Section heading="Classmates">
          <p className={answers === 0 ? 'text-sm text-ink-soft' : ''}>
            {answers === 0
              ? 'No one has answered.'
              : `${vouches.yes} said yes, ${vouches.unsure} not sure, ${vouches.no} no.`}
          </p>
        </Section>
        {earlier.length > 0 && (
          <Section heading="Earlier claims">
            <ul className="grid gap-2">
              {earlier.map(({ createdAt, state, reason, matricNumber }) => (
                <li key={createdAt}>
                  <Day of={createdAt} />: {state}, with {matricNumber}
                  {reason !== '' && <span className="block text-sm wrap-anywhere text-ink-soft">{reason}</span>}
                </li>
              ))}
            </ul>
          </Section>
        )}
        {notes}
      </div>
      <DecisionBar actions={listActions({ chosenAt, chosenId, onDecide, failed })} openAtFirst={openAtFirst(failed)} />
    </>
  );
}

/** Returns a line about an entry: its standing, and who holds it. */
function standingOf({ entry, heldBy }: ClaimCandidate): string {
  const parts = [entry.standing, entry.college];
  if (heldBy) parts.push(heldBy.isClaimant ? 'their own' : 'taken');
  return parts.filter(Boolean).join(' · ');
}

/** Says what to know before confirming an entry. */
function Warning({ candidate: { entry, heldBy }, at }: { candidate: ClaimCandidate; at: number }) {
  const holder = heldBy && !heldBy.isClaimant ? heldBy : null;
  if (!holder && !entry.isRestricted) return null;
  return (
    <div className="grid gap-1 rounded-control bg-danger-soft px-4 py-2.5 text-sm">
      {holder && (
        <p className="wrap-anywhere">
          <strong>Entry {at + 1} is taken.</strong>{' '}
          {holder.account
            ? `${holder.account.name ?? holder.account.email} (${holder.account.email})`
            : 'An account outside your scope'}{' '}
          is confirmed as this entry, with {holder.assurance} evidence. If you confirm this claim,{' '}
          {holder.assurance === 'strong'
            ? 'a dispute between the two accounts opens in the queue.'
            : 'that account loses the entry.'}
        </p>
      )}
      {entry.isRestricted && (
        <p>
          <strong>Check entry {at + 1} with care.</strong> It is confidential, contested, of a person who has died, or
          not on the current roster.
        </p>
      )}
    </div>
  );
}

interface ActionInput extends Pick<ReviewDetailProps<StaffClaim>, 'onDecide' | 'failed'> {
  chosenAt: number;
  chosenId: number | null;
}

/** Returns the id of the action whose decision was not saved. */
function openAtFirst(failed: ReviewDetailProps<StaffClaim>['failed']): string | undefined {
  if (failed?.outcome === 'reject') return 'reject';
  return failed?.outcome === 'confirm' ? (failed.entryId === null ? 'no-entry' : 'confirm') : undefined;
}

function listActions({ chosenAt, chosenId, onDecide, failed }: ActionInput): DecisionAction[] {
  const seen = failed?.outcome === 'confirm' ? failed.seen : '';
  const choosePanel = (title: string, entryId: number | null) => (
    <ChoicePanel
      title={title}
      hint="The answer is stored with the evidence. Write no birth dates or numbers of documents."
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
            label: 'This entry',
            shortcut: 'a',
            look: 'strong',
            panel: choosePanel(`What did you see that shows it is entry ${chosenAt + 1}?`, chosenId),
          },
        ] as const)
      : []),
    {
      id: 'no-entry',
      label: 'Not on the roster',
      shortcut: 'o',
      panel: choosePanel('Confirm without an entry: what did you see?', null),
    },
    {
      id: 'reject',
      label: 'Reject',
      shortcut: 'r',
      panel: (
        <TextPanel
          title="Reject this claim?"
          hint="The account stays. The claimant reads your reason, and can claim again."
          label="Reason, for the claimant"
          presets={rejections}
          isRequired
          checkbox="Someone pretends to be another person"
          action="Reject"
          look="danger"
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
