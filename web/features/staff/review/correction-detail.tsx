import type { Correction, CorrectionReason } from '#contract/staff/corrections.ts';
import { Day } from '#web/ui/day.tsx';
import { reword } from '#web/platform/words.ts';
import { DataTable } from '../ui/data-table.tsx';
import { correctionNames } from '../corrections/correction-labels.ts';
import { AcceptBar } from './accept-bar.tsx';
import { Quote } from './facts.tsx';
import { type ReviewDetailProps, defineReviewDetail } from './review-detail.ts';

export const correctionDetail = defineReviewDetail<Correction, 'correction'>({
  label: 'Correction',
  pluralLabel: 'Corrections',
  reasons: Object.fromEntries(Object.entries(correctionNames).map(([reason, name]) => [reason, name.toLowerCase()])),
  outcomes: { accept: 'Accepted', refuse: 'Refused' },
  load: (call, id) => call('GET /api/staff/corrections/{id}', { params: { id } }),
  takeBack: (_, outcome) =>
    outcome === 'accept' && 'If it was wrong, propose another correction, or import the registrar’s list again.',
  Component: CorrectionDetail,
});

/** The proposer reads these reasons. */
const refusals = [
  {
    label: 'Our records differ',
    text: 'Our records say otherwise. If you have a document, bring it to the alumni office.',
  },
  { label: 'Already correct', text: 'Our records already say this.' },
];

const acceptHints: Record<CorrectionReason, string> = {
  deceased:
    'The entry is marked as deceased. It gets no printed code, and only staff can confirm an account as this entry. Correct the registrar’s own system too: the next import overwrites this change.',
  'wrong-class':
    'The entry gets the proposed class. Correct the registrar’s own system too: the next import overwrites this change.',
  'wrong-name':
    'The entry gets the proposed name. Correct the registrar’s own system too: the next import overwrites this change.',
  other: 'This does not change the roster. If the note is right, make the change first, then close the correction.',
};

function CorrectionDetail({ data, notes, onDecide, failed }: ReviewDetailProps<Correction, 'correction'>) {
  const { reason, text, proposedBy, createdAt, entry, proposed } = data;
  const rows: readonly (readonly [string, string | number | null, string | number | null | undefined])[] = [
    ['Last name', entry.lastName, proposed.lastName],
    ['First name', entry.firstName, proposed.firstName],
    ['Other names', entry.otherNames, proposed.otherNames],
    [reword('Department'), entry.department, proposed.department],
    ['Year graduated', entry.yearGraduated, proposed.yearGraduated],
  ];
  return (
    <>
      <p className="-mt-4 text-sm wrap-anywhere text-ink-soft">
        Proposed by {proposedBy} on <Day of={createdAt} />
        {entry.hasAccount && ' · has an account'}
      </p>
      {entry.hasAccount && reason === 'wrong-name' && (
        <p className="rounded-control bg-wash px-4 py-2.5">
          A member is confirmed as this person. After another name, the member does not read this entry until staff
          decide in the review queue whether the member keeps it. Case, accents and the order of the names do not count.
        </p>
      )}
      {text !== '' && <Quote label="Note from the proposer">{text}</Quote>}
      <DataTable label="The entry and what is proposed" columns={['Value', 'Roster entry', 'Proposed']}>
        {rows.map(([label, now, next]) => {
          const isChanged = next !== null && next !== undefined && next !== now;
          return (
            <tr key={label}>
              <th scope="row" className="font-normal text-ink-soft">
                {label}
              </th>
              <td className="wrap-anywhere">{now === null || now === '' ? '–' : now}</td>
              <td className={`wrap-anywhere ${isChanged ? 'font-semibold' : 'text-ink-soft'}`}>
                {isChanged ? (
                  next === '' ? (
                    'none'
                  ) : (
                    next
                  )
                ) : (
                  <>
                    <span aria-hidden="true">–</span>
                    <span className="sr-only">unchanged</span>
                  </>
                )}
              </td>
            </tr>
          );
        })}
        {reason === 'deceased' && (
          <tr>
            <th scope="row" className="font-normal text-ink-soft">
              Deceased
            </th>
            <td>{entry.isDeceased ? 'Yes' : 'No'}</td>
            <td className="font-semibold">Yes</td>
          </tr>
        )}
      </DataTable>
      {notes}
      <AcceptBar
        thing="correction"
        reader="proposer"
        accept={reason === 'other' ? 'Close' : 'Accept'}
        acceptHint={acceptHints[reason]}
        refuseHint="The roster does not change."
        refusals={refusals}
        onDecide={onDecide}
        failed={failed}
      />
    </>
  );
}
