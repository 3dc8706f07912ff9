import type { StaffChange } from '#contract/staff/claims.ts';
import { Day } from '#web/ui/day.tsx';
import { reword } from '#web/platform/words.ts';
import { evidenceNames } from '../staff-labels.ts';
import { DataTable } from '../ui/data-table.tsx';
import { AcceptBar } from './accept-bar.tsx';
import { WithdrawalLink } from './facts.tsx';
import { type ReviewDetailProps, defineReviewDetail } from './review-detail.ts';

export const changeDetail = defineReviewDetail<StaffChange, 'change'>({
  label: 'Change',
  pluralLabel: 'Changes',
  reasons: { name: 'another name', class: 'another class', 'matric-number': 'another matric number' },
  outcomes: {
    accept: 'Accepted',
    refuse: 'Refused',
    agreed: 'Accepted, because the roster entry says the same,',
    ended: 'Ended with the confirmation',
  },
  load: (call, id) => call('GET /api/staff/changes/{id}', { params: { id } }),
  takeBack: ({ account }, outcome) =>
    (outcome === 'accept' || outcome === 'agreed') && (
      <>
        The profile has the new values. If they are wrong, <WithdrawalLink accountId={account.id} />.
      </>
    ),
  Component: ChangeDetail,
});

/** The member reads these reasons. */
const refusals = [
  {
    label: 'Document needed',
    text: 'Bring a document that shows the change, such as a marriage certificate, to the alumni office.',
  },
  { label: 'Our records differ', text: 'Our records say otherwise.' },
];

const rows = [
  ['Last name', 'lastName'],
  ['First name', 'firstName'],
  ['Matric number', 'matricNumber'],
  ['Department', 'department'],
  ['Year graduated', 'yearGraduated'],
] as const;

function ChangeDetail({ data, notes, onDecide, failed }: ReviewDetailProps<StaffChange, 'change'>) {
  const { account, confirmed, wanted, entry, evidence, createdAt } = data;
  return (
    <>
      <p className="-mt-4 text-sm wrap-anywhere text-ink-soft">
        {account.email} · changed on <Day of={createdAt} />
      </p>
      <DataTable label="What is confirmed and what is new" columns={['Value', 'Confirmed', 'New', 'Roster entry']}>
        {rows
          .filter(([, name]) => wanted[name] !== undefined)
          .map(([label, name]) => (
            <tr key={name}>
              <th scope="row" className="font-normal text-ink-soft">
                {reword(label)}
              </th>
              <td className="wrap-break-word">{confirmed[name]}</td>
              <td className="font-semibold wrap-break-word">{wanted[name]}</td>
              <td className="wrap-break-word">{entry?.[name] || '–'}</td>
            </tr>
          ))}
      </DataTable>
      <p className="text-sm wrap-anywhere text-ink-soft">
        Not changed:{' '}
        {rows
          .filter(([, name]) => wanted[name] === undefined)
          .map(([label, name]) => `${label.toLowerCase()} ${confirmed[name]}`)
          .join(', ')}
        {entry === null && '. No linked roster entry is in your scope.'}
      </p>
      <p className="text-sm wrap-anywhere text-ink-soft">
        Confirmed by{' '}
        {evidence
          .filter(({ isWithdrawn }) => !isWithdrawn)
          .map(({ kind, detail }) => evidenceNames[kind].toLowerCase() + (detail === '' ? '' : ` (${detail})`))
          .join(', ')}
      </p>
      {notes}
      <AcceptBar
        thing="change"
        reader="member"
        acceptHint="The profile gets the new values, and the confirmation is about them from then on. Accept only what you have seen on a document."
        refuseHint="The profile keeps the confirmed values."
        refusals={refusals}
        onDecide={onDecide}
        failed={failed}
      />
    </>
  );
}
