import type { InstitutionFacts } from '#contract/institution.ts';
import type { Announcement } from '#contract/staff/announcements.ts';
import { callApi } from '#web/platform/api.ts';
import { usePolling } from '../ui/use-polling.ts';
import { AnnouncementEditor } from './announcement-editor.tsx';
import { AnnouncementProgress } from './announcement-progress.tsx';
import { AnnouncementRequest } from './announcement-request.tsx';

const refreshDelayMs = 10_000;

interface Props {
  one: Announcement;
  colleges: InstitutionFacts['colleges'];
}

export function AnnouncementPage({ one, colleges }: Props) {
  const { id, state, progress } = one;
  const isRunning =
    state === 'requested' || state === 'scheduled' || state === 'sending' || (state === 'sent' && progress.waiting > 0);
  const request = () => callApi('GET /api/staff/announcements/{id}', { params: { id } });
  usePolling(one, request, isRunning ? refreshDelayMs : null);
  if (state === 'draft') return <AnnouncementEditor loaded={one} colleges={colleges} />;
  if (state === 'requested' || state === 'scheduled') return <AnnouncementRequest one={one} />;
  return <AnnouncementProgress one={one} />;
}
