import { useState } from 'react';
import { Link } from 'react-router';
import type { StaffReport, StaffReportEntry } from '#contract/staff/reports.ts';
import { paths } from '#web/domain/paths.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { MembershipHistory } from '../membership-history.tsx';
import { staffPath } from '../staff-paths.ts';
import { Section } from '../ui/section.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { kindLabels, moderationLabels, outcomeLabels, reasonLabels } from './report-labels.ts';

export function ReportFacts({ report }: { report: StaffReport }) {
  return (
    <>
      <div className="-mt-4">
        <Subject report={report} />
      </div>
      <div className="grid grid-cols-1 content-start gap-x-8 gap-y-6 lg:grid-cols-2 lg:grid-rows-[auto_1fr]">
        <Section heading={report.reports.length === 1 ? '1 report' : `${report.reports.length} reports`}>
          <ul className="grid gap-4">
            {report.reports.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
        </Section>
        <div className="grid content-start gap-6 lg:row-span-2">
          <Section heading={headingOf(report)}>
            <Reported report={report} />
          </Section>
          {report.subject.id !== null && <MembershipHistory accountId={report.subject.id} />}
        </div>
        <Section heading="Earlier reports about this person">
          {report.findings.length === 0 ? (
            <p className="text-sm text-ink-soft">None in the last 180 days.</p>
          ) : (
            <ul className="grid gap-1">
              {report.findings.map(({ id, kind, outcome, closedAt }) => (
                <li key={id}>
                  <Link to={staffPath('review', `report-${id}`)} className="link">
                    {kindLabels[kind]}: {outcomeLabels[outcome]}
                  </Link>{' '}
                  <span className="text-sm text-ink-soft">
                    <Day of={closedAt} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Section>
      </div>
    </>
  );
}

const headingOf = ({ kind }: StaffReport): string =>
  ({ message: 'Reported message', profile: 'Reported profile', photo: 'Reported photo' })[kind];

function Subject({ report: { subject } }: { report: StaffReport }) {
  const { id, email, department, yearGraduated, isProfileHidden, suspendedUntil } = subject;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-soft">
      <span className="wrap-anywhere">
        {[email, department, yearGraduated && `class of ${yearGraduated}`].filter(Boolean).join(' · ')}
        {id === null && ' · account deleted'}
      </span>
      {isProfileHidden && <StatusPill tone="danger">Profile hidden</StatusPill>}
      {suspendedUntil !== null && (
        <StatusPill tone="danger">
          Suspended until <Day of={suspendedUntil} />
        </StatusPill>
      )}
    </p>
  );
}

function Reported({ report }: { report: StaffReport }) {
  const { kind, photo, sentAt, subject, hasPicture } = report;
  if (kind === 'message')
    return (
      <p className="max-w-[66ch]">
        {sentAt === null ? (
          'Sent by email.'
        ) : (
          <>
            Sent by email on <Day of={sentAt} />.
          </>
        )}{' '}
        The archive keeps no copy. The reporter may have pasted the text.
      </p>
    );
  return (
    <div className="grid justify-items-start gap-3">
      {hasPicture && <BlurredPicture report={report} />}
      {kind === 'photo' &&
        (photo === null ? (
          <p>The photo was deleted.</p>
        ) : (
          <p className="wrap-anywhere">
            {photo.title}
            <span className="block text-sm text-ink-soft">
              {photo.album} · added <Day of={photo.addedAt} />
            </span>
            {photo.moderation !== null && <StatusPill tone="danger">{moderationLabels[photo.moderation]}</StatusPill>}
          </p>
        ))}
      {kind === 'profile' && subject.id !== null && !subject.isProfileHidden && (
        <Link to={paths.user(subject.id)} className="link inline-flex min-h-11 items-center">
          Open the profile
        </Link>
      )}
    </div>
  );
}

function BlurredPicture({ report: { id, photo, kind } }: { report: StaffReport }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <div className="relative overflow-hidden border border-line print-shape">
      <img
        src={`/api/staff/reports/${id}/picture`}
        alt={kind === 'photo' ? (photo?.title ?? 'The photo') : 'The portrait'}
        width={photo?.width ?? 384}
        height={photo?.height ?? 480}
        className={`block h-auto w-auto max-w-full bg-wash ${isShown ? 'max-h-80' : 'max-h-50 blur-2xl'}`}
      />
      {!isShown && (
        <span className="absolute inset-0 grid place-items-center">
          <Button variant="quiet" className="px-2! text-sm" onClick={() => setIsShown(true)}>
            Show the picture
          </Button>
        </span>
      )}
    </div>
  );
}

function Entry({ entry }: { entry: StaffReportEntry }) {
  const { reason, text, createdAt, by, reporter, earlier, justified } = entry;
  const who = {
    member: reporter ?? 'A member outside your scope',
    guest: `Guest, ${reporter}`,
    deleted: 'A deleted account',
  }[by];
  return (
    <li className="grid gap-1">
      <p className="font-semibold first-letter:uppercase">{reasonLabels[reason] ?? reason}</p>
      {text !== '' && (
        <blockquote className="max-w-[66ch] border-l-3 border-line-strong pl-4 wrap-anywhere whitespace-pre-line">
          {text}
        </blockquote>
      )}
      <p className="text-sm wrap-anywhere text-ink-soft">
        {who} · <Day of={createdAt} />
        {earlier > 0 && ` · ${earlier} earlier ${earlier === 1 ? 'report' : 'reports'}, ${justified} led to action`}
      </p>
    </li>
  );
}
