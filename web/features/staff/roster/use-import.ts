import { useEffect, useEffectEvent, useState } from 'react';
import type { RosterImport } from '#contract/roster.ts';
import { callApi } from '#web/platform/api.ts';

/** Poll intervals while a step runs, and while the approval is pending. */
const [stepDelayMs, approvalDelayMs] = [1_000, 15_000];

/**
 * Polls while a step runs or an approval is pending, and the page is visible. `hasRun`: whether a step has run while
 * the page was open.
 */
export function useImport(loaded: RosterImport) {
  const [one, setOne] = useState(loaded);
  /**
   * What the file contained when it could be read last, so that nothing chosen on the page is lost when it then cannot
   * be read.
   */
  const [file, setFile] = useState(loaded.file);
  const [hasRun, setHasRun] = useState(false);
  const [isOffline, setIsOffline] = useState(false);
  if (one.step !== null && !hasRun) setHasRun(true);
  const delay = one.step !== null ? stepDelayMs : one.approval ? approvalDelayMs : null;

  async function refresh(): Promise<void> {
    try {
      const found = await callApi('GET /api/staff/roster/imports/{id}', { params: { id: String(loaded.id) } });
      setOne(found);
      if (found.file) setFile(found.file);
      setIsOffline(false);
    } catch {
      setIsOffline(true);
    }
  }
  const onTime = useEffectEvent(refresh);

  useEffect(() => {
    if (delay === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isEnded = false;
    const wait = () => {
      clearTimeout(timer);
      if (!isEnded && !document.hidden) timer = setTimeout(() => void onTime().then(wait), delay);
    };
    const onVisible = () => {
      clearTimeout(timer);
      if (!document.hidden) void onTime().then(wait);
    };
    wait();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      isEnded = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [delay]);

  return { one, file: one.file ?? file, isOffline, hasRun, refresh };
}
