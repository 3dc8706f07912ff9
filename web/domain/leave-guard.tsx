import { useEffect, useRef } from 'react';
import { NavigationType, useBlocker } from 'react-router';
import { hasUnsavedEdits, markUnsaved } from '#web/platform/unsaved.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

interface Props {
  isEdited: boolean;
  isSamePage?: (path: string) => boolean;
  onLeave: () => void;
}

/**
 * Asks for confirmation before the user leaves a page with unsaved edits: with a dialog on navigation, with the
 * browser's own prompt on reload or when the tab closes. A redirect, such as after the end of a session, needs no
 * confirmation.
 */
export function LeaveGuard({ isEdited, isSamePage, onLeave }: Props) {
  /** True from the click on Leave until the page is gone, because the user can press Back in between. */
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
    ({ currentLocation: { pathname, search }, nextLocation, historyAction }) =>
      !isLeaving.current &&
      hasUnsavedEdits() &&
      isSamePage?.(nextLocation.pathname) !== true &&
      (nextLocation.pathname !== pathname ||
        // A page replaces its own URL to remove a parameter that it has used.
        (nextLocation.search !== search && historyAction !== NavigationType.Replace)),
  );
  if (blocker.state !== 'blocked') return null;
  return (
    <LeaveDialog
      onStay={blocker.reset}
      onLeave={() => {
        isLeaving.current = true;
        onLeave();
        blocker.proceed();
      }}
    />
  );
}

export const LeaveDialog = ({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) => (
  <Dialog onClose={onStay} title="Leave without saving?">
    <p>Your changes on this page are not saved.</p>
    <div className="flex flex-wrap justify-end gap-3">
      <Button variant="quiet" onClick={onStay}>
        Stay
      </Button>
      <Button variant="danger" onClick={onLeave}>
        Leave
      </Button>
    </div>
  </Dialog>
);
