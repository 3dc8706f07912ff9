import { useRevalidator } from 'react-router';
import { formatCount, formatPeople } from '#contract/counts.ts';
import { parseBlocks } from '#contract/light-format.ts';
import type { Announcement } from '#contract/staff/announcements.ts';
import { LightText } from '#web/domain/light-text.tsx';
import { callApi } from '#web/platform/api.ts';
import { Day } from '#web/ui/day.tsx';
import { toast } from '#web/ui/toasts.ts';
import { Progress } from '../roster/progress.tsx';
import { staffPath } from '../staff-paths.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { Definition, Definitions } from '../ui/definitions.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Section } from '../ui/section.tsx';
import { formatDuration, formatScope, shownState, stateNames, titleOf } from './announcement-labels.ts';

export function AnnouncementProgress({ one }: { one: Announcement }) {
  const { scope, state, startedAt, createdBy, text, progress } = one;
  const people = one.people ?? 0;
  const rest = state === 'sending' ? formatDuration(progress.waiting + 100) : '';
  const numbers = [
    ['Recipients', people, ''],
    ['Sent', progress.sent, ''],
    ['Waiting', progress.waiting, progress.waiting < people && rest !== '' ? `${rest} left` : ''],
    ['Bounced', progress.bounced, 'The address does not exist or does not accept email.'],
    ['Unsubscribed', progress.unsubscribed, 'Through the link in this email.'],
    [
      'Left out',
      progress.leftOut,
      'Unsubscribed or no longer a member before the email was sent, or sending was stopped.',
    ],
  ] as const;
  return (
    <>
      <PageHeader
        title={titleOf(one)}
        lead={
          <>
            {formatScope(scope)} · {createdBy ?? 'a deleted account'}
            {startedAt !== null && (
              <>
                , <Day of={startedAt} />
              </>
            )}
          </>
        }
        back={{ to: staffPath('announcements'), label: 'Announcements' }}
        actions={state === 'sending' && <StopSending one={one} />}
      />
      <Progress
        label={`${stateNames[shownState(one)]}: ${formatCount(progress.sent)} of ${formatPeople(people)}`}
        percent={people === 0 ? 100 : (100 * (people - progress.waiting)) / people}
      />
      <Section heading="Numbers">
        <Definitions>
          {numbers.map(([term, count, note]) => (
            <Definition key={term} term={term}>
              <span className="nums">{formatCount(count)}</span>
              {note !== '' && <span className="ml-3 text-sm text-ink-soft">{note}</span>}
            </Definition>
          ))}
        </Definitions>
      </Section>
      <Section heading="Text">
        <div className="grid max-w-[66ch] gap-4 border-l-4 border-line pl-4 wrap-anywhere">
          <LightText blocks={parseBlocks(text)} />
        </div>
      </Section>
    </>
  );
}

function StopSending({ one: { id, progress } }: { one: Announcement }) {
  const { revalidate } = useRevalidator();
  return (
    <ConfirmButton
      label="Stop"
      buttonVariant="danger"
      title="Stop sending?"
      action="Stop"
      busy="Stopping..."
      onConfirm={async () => {
        await callApi('POST /api/staff/announcements/{id}/stop', { params: { id } });
        toast('success', 'Stopped. No more emails will be sent');
        await revalidate();
      }}
    >
      <p>
        {formatPeople(progress.waiting)} will not get this email. You cannot continue later, and emails that have been
        sent cannot be taken back.
      </p>
    </ConfirmButton>
  );
}
