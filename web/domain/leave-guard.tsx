import { useEffect, useRef } from 'react';
import { type Location, useBlocker } from 'react-router';
import { hasUnsavedEdits, markUnsaved } from '../platform/unsaved.ts';
import type { keepScroll } from '../platform/use-scroll.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Whether a navigation only changes the address of the page. */
const staysOnPage = ({ state }: Location<typeof keepScroll | null>): boolean => state?.keepsScroll === true;

interface Props {
  /** Whether something has been edited and not saved. */
  isEdited: boolean;
  onLeave: () => void;
}

/**
 * Asks before a page with unsaved edits is left: by a dialog within the archive, by the browser's own question when the tab is
 * closed or reloaded. A redirect, as after the end of a session, does not ask.
 */
export function LeaveGuard({ isEdited, onLeave }: Props) {
  /** From Leave until this page is gone: Back can be pressed before that, and must not be blocked. */
  const isLeaving = useRef(false);
  useEffect(() => {
    isLeaving.current = false;
    if (!isEdited) return undefined;
    const unmark = markUnsaved();
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => {
      removeEventListener('beforeunload', ask);
      unmark();
    };
  }, [isEdited]);
  const blocker = useBlocker(
    ({ currentLocation: { pathname, search }, nextLocation }) =>
      !isLeaving.current &&
      hasUnsavedEdits() &&
      (nextLocation.pathname !== pathname || (nextLocation.search !== search && !staysOnPage(nextLocation))),
  );
  if (blocker.state !== 'blocked') return null;
  return (
    <Dialog onClose={blocker.reset} title="Leave without saving?">
      <p>Your changes on this page are not saved.</p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="quiet" onClick={blocker.reset}>
          Stay
        </Button>
        <Button
          look="danger"
          onClick={() => {
            isLeaving.current = true;
            onLeave();
            blocker.proceed();
          }}
        >
          Leave
        </Button>
      </div>
    </Dialog>
  );
}
