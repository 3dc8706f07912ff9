import { useState } from 'react';
import type { DisputeSide, StaffDispute, TypedValues } from '#contract/staff/claims.ts';
import type { disputeReasons } from '#contract/staff/values.ts';
import { Section } from '../ui/section.tsx';
import { CompareTable } from './compare-table.tsx';
import { type DecisionAction, DecisionBar } from './decision-bar.tsx';
import { TextPanel, vouchingNote } from './decision-panels.tsx';
import { AccountLine, EvidenceList, Quote } from './facts.tsx';
import { type ReviewDetailProps, defineReviewDetail } from './review-detail.ts';

type Reasons = Record<(typeof disputeReasons)[number], string>;

export const disputeDetail = defineReviewDetail<StaffDispute, 'dispute'>({
  label: 'Dispute',
  pluralLabel: 'Disputes',
  reasons: {
    'two-accounts': 'two accounts have evidence for one entry',
    mailbox: 'reported from the email address of the entry',
    import: 'an import changed the name or birth date',
    undo: 'the undo of an import changed the name or birth date',
    correction: 'a correction changed the name',
  } satisfies Reasons,
  outcomes: { keep: 'Holder keeps the entry', transfer: 'Holder loses the entry' },
  load: (call, id) => call('GET /api/staff/disputes/{id}', { params: { id } }),
  Component: DisputeDetailView,
});

const noValues: TypedValues = {
  matricNumber: '',
  lastName: '',
  firstName: '',
  otherNames: '',
  gender: '',
  department: '',
  program: '',
  yearAdmitted: 0,
  yearGraduated: 0,
};

const nameOf = ({ account }: DisputeSide): string => account.name ?? account.email;

/** Two people can have one name. */
const identityOf = ({ account: { name, email } }: DisputeSide): string =>
  name === null ? email : `${name} (${email})`;

function DisputeDetailView({ data: dispute, notes, onDecide, failed }: ReviewDetailProps<StaffDispute, 'dispute'>) {
  const { entry, holder, claimant, canDecide } = dispute;
  const [shown, setShown] = useState('holder');
  const sides = [
    { key: 'holder', heading: 'Holder', side: holder },
    ...(claimant ? [{ key: 'claimant', heading: 'Other account', side: claimant }] : []),
  ];
  const isImpostor = failed?.isImpostor ?? false;
  const actions: DecisionAction[] = [
    {
      id: 'keep',
      label: 'The holder keeps it',
      shortcut: 'a',
      panel: (
        <TextPanel
          title={`Let ${identityOf(holder)} keep the entry?`}
          hint={
            claimant
              ? `${identityOf(claimant)} does not get the entry, and is notified by email.`
              : 'The dispute is then closed.'
          }
          {...(claimant && {
            checkbox: `The other account pretended to be this person. ${vouchingNote}`,
            initiallyChecked: isImpostor,
          })}
          action="Keep"
          onDecide={(_, isChecked) => onDecide({ outcome: 'keep', isImpostor: isChecked })}
        />
      ),
    },
    {
      id: 'transfer',
      label: claimant ? 'The other account gets it' : 'The holder loses it',
      shortcut: 'r',
      panel: (
        <TextPanel
          title={
            claimant ? `Give the entry to ${identityOf(claimant)}?` : `Take the entry away from ${identityOf(holder)}?`
          }
          hint={`${identityOf(holder)} is then no longer a confirmed member.`}
          checkbox={`The holder pretended to be this person. ${vouchingNote}`}
          initiallyChecked={isImpostor}
          action={claimant ? 'Transfer' : 'Take the entry away'}
          variant="danger"
          onDecide={(_, isChecked) => onDecide({ outcome: 'transfer', isImpostor: isChecked })}
        />
      ),
    },
  ];
  return (
    <>
      {dispute.text !== '' && <Quote label="Message from the email address of the entry">{dispute.text}</Quote>}
      <CompareTable
        label="The roster entry beside the accounts"
        reference={{
          heading: 'Roster entry',
          detail: entry ? entry.status : 'outside your scope',
          values: entry ?? noValues,
        }}
        columns={sides.map(({ key, heading, side }) => ({
          key,
          heading,
          detail: side.isHolding ? `${nameOf(side)}, confirmed` : nameOf(side),
          values: side.typed,
          agreement: side.agreement,
        }))}
        shown={shown}
        onShow={setShown}
      />
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
        {sides.map(({ key, heading, side }) => (
          <Section key={key} heading={`${heading}: ${nameOf(side)}`}>
            <AccountLine account={side.account} />
            <EvidenceList evidence={side.evidence} />
          </Section>
        ))}
        {notes}
      </div>
      <DecisionBar
        actions={actions}
        obstacle={
          canDecide
            ? undefined
            : 'The entry is outside your part of the institution. An owner, or a registrar of the whole institution, must decide.'
        }
        openAtFirst={failed?.outcome}
      />
    </>
  );
}
