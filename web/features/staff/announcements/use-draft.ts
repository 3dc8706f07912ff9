import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Problem } from '#contract/problem.ts';
import type { Announcement, AnnouncementDraft } from '#contract/staff/announcements.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { markUnsaved } from '#web/platform/unsaved.ts';

const saveDelayMs = 600;

/**
 * Saves the draft while it is written, and when the page is left. Saves run one after another. After a failed save,
 * leaving the page asks first, and the next change or `save` tries again.
 */
export function useDraft(loaded: Announcement) {
  const { id, subject, text, scope, replyName } = loaded;
  const [draft, setDraft] = useState<AnnouncementDraft>({ subject, text, scope, replyName });
  const [saved, setSaved] = useState(draft);
  const [stored, setStored] = useState(loaded);
  const [failure, setFailure] = useState<Problem | null>(null);
  const last = useRef({ saving: Promise.resolve<Announcement | null>(loaded), draft, one: loaded });
  const isDirty = draft !== saved;

  /** @returns what is stored, or null after a failure */
  function save(): Promise<Announcement | null> {
    const { current } = last;
    current.saving = current.saving.then(async () => {
      if (current.draft === draft) return current.one;
      try {
        const body = { ...draft, version: current.one.version };
        current.one = await callApi('PUT /api/staff/announcements/{id}', { params: { id }, body });
        current.draft = draft;
        setStored(current.one);
        setSaved(draft);
        setFailure(null);
        return current.one;
      } catch (error) {
        setFailure(problemOf(error));
        return null;
      }
    });
    return current.saving;
  }
  const onTime = useEffectEvent(save);

  useEffect(() => {
    if (!isDirty) return undefined;
    const timer = setTimeout(() => void onTime(), saveDelayMs);
    return () => clearTimeout(timer);
  }, [draft, isDirty]);
  useEffect(() => (failure === null ? undefined : markUnsaved()), [failure]);
  useEffect(() => {
    const onClose = (event: BeforeUnloadEvent) => {
      if (isDirty) event.preventDefault();
    };
    addEventListener('beforeunload', onClose);
    return () => removeEventListener('beforeunload', onClose);
  }, [isDirty]);
  useEffect(() => () => void onTime(), []);

  return {
    draft,
    stored,
    isDirty,
    failure,
    save,
    change: (values: Partial<AnnouncementDraft>) => setDraft((before) => ({ ...before, ...values })),
  };
}
