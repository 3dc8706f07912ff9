import { type LoaderFunctionArgs, useNavigate } from 'react-router';
import { formatCount, formatPeople } from '#contract/counts.ts';
import type { AnnouncementSummary } from '#contract/staff/announcements.ts';
import { useAction } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Row, Rows } from '../ui/rows.tsx';
import { StatusPill } from '../ui/status-pill.tsx';
import { AnnouncementPage } from './announcement-page.tsx';
import { formatScope, shownState, stateNames, titleOf } from './announcement-labels.ts';

export async function loadAnnouncements({ context }: LoaderFunctionArgs, id: string | null) {
  const { call } = context.get(loaderServices);
  if (id === null) return { announcements: (await call('GET /api/staff/announcements')).announcements, open: null };
  const [one, { colleges }] = await Promise.all([
    call('GET /api/staff/announcements/{id}', { params: { id } }),
    call('GET /api/institution'),
  ]);
  return { announcements: [], open: { one, colleges } };
}

export function AnnouncementsPage({
  data: { announcements, open },
}: StaffPageProps<Awaited<ReturnType<typeof loadAnnouncements>>>) {
  if (open) return <AnnouncementPage one={open.one} colleges={open.colleges} />;
  return (
    <>
      <PageHeader
        title="Announcements"
        lead="Emails from the alumni office to members. Members can unsubscribe with one click."
        actions={<NewAnnouncement />}
      />
      {announcements.length === 0 ? (
        <EmptyState drawing="hall" title="No announcements yet">
          Drafts and sent announcements will appear here, with the number of people they reached.
        </EmptyState>
      ) : (
        <Rows label="Announcements">
          {announcements.map((one) => (
            <AnnouncementRow key={one.id} one={one} />
          ))}
        </Rows>
      )}
    </>
  );
}

function NewAnnouncement() {
  const navigate = useNavigate();
  const { isBusy, run } = useAction();
  return (
    <Button
      busy={isBusy && 'Creating...'}
      onClick={() =>
        run(async () => {
          const { id } = await callApi('POST /api/staff/announcements');
          await navigate(staffPath('announcements', id));
        })
      }
    >
      New announcement
    </Button>
  );
}

function AnnouncementRow({ one }: { one: AnnouncementSummary }) {
  const { id, scope, startedAt, updatedAt, people, progress } = one;
  const state = shownState(one);
  return (
    <Row
      to={staffPath('announcements', id)}
      title={titleOf(one)}
      detail={
        <>
          {formatScope(scope)} · <Day of={startedAt ?? updatedAt} />
        </>
      }
      aside={
        <>
          {state === 'sending' && `${formatCount(progress.sent)} of ${formatPeople(people ?? 0)}`}
          {(state === 'sent' || state === 'stopped') && formatPeople(progress.sent)}
          {state === 'sent' ? (
            stateNames.sent
          ) : (
            <StatusPill tone={state === 'sending' ? 'brand' : 'plain'}>{stateNames[state]}</StatusPill>
          )}
        </>
      }
    />
  );
}
