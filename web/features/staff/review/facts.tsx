import type { StaffAccount, StaffEvidence } from '#contract/staff/claims.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Day } from '#web/ui/day.tsx';
import { stateLabels } from '../people/people-labels.ts';
import { staffPath } from '../staff-paths.ts';
import { evidenceNames } from '../staff-labels.ts';

export const AccountLine = ({ account }: { account: StaffAccount }) => (
  <p className="text-sm wrap-anywhere text-ink-soft">
    {account.email} · {stateLabels[account.status].label.toLowerCase()} · registered <Day of={account.createdAt} />
  </p>
);

export const WithdrawalLink = ({ accountId }: { accountId: string }) => (
  <Link to={staffPath('people', accountId)} className="link">
    withdraw the confirmation
  </Link>
);

export const EvidenceList = ({ evidence }: { evidence: readonly StaffEvidence[] }) =>
  evidence.length === 0 ? (
    <p className="text-sm text-ink-soft">No evidence.</p>
  ) : (
    <ul className="grid gap-2">
      {evidence.map(({ kind, assurance, detail, createdAt, isWithdrawn }) => (
        <li key={`${kind} ${createdAt}`}>
          <span className={isWithdrawn ? 'line-through' : ''}>{evidenceNames[kind]}</span>
          <span className="block text-xs wrap-anywhere text-ink-soft">
            {isWithdrawn && 'Withdrawn · '}
            {assurance} · <Day of={createdAt} />
            {detail !== '' && ` · ${detail}`}
          </span>
        </li>
      ))}
    </ul>
  );

export const Quote = ({ label, children }: { label: ReactNode; children: string }) => (
  <figure className="border-l-3 border-line-strong pl-4">
    <figcaption className="text-xs text-ink-soft">{label}</figcaption>
    <blockquote className="max-w-[66ch] whitespace-pre-line wrap-anywhere">{children}</blockquote>
  </figure>
);
