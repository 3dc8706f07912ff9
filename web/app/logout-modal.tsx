import { useNavigate } from 'react-router';
import { signOut } from '#web/domain/session.ts';
import { paths } from '#web/domain/paths.ts';
import { useAction } from '#web/domain/use-action.ts';
import { clearUnsavedEdits, hasUnsavedEdits } from '#web/platform/unsaved.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

export default function LogoutModal({ onClose }: { onClose: () => void }) {
  const { isBusy, run } = useAction();
  const navigate = useNavigate();

  async function logout() {
    await signOut();
    onClose();
    clearUnsavedEdits();
    await navigate(paths.login);
  }

  return (
    <Dialog onClose={onClose} title="Do you really want to bail on us?">
      {hasUnsavedEdits() && <p>Your changes on this page are not saved.</p>}
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="quiet" onClick={onClose}>
          No!!!
        </Button>
        <Button busy={isBusy && 'Sure'} onClick={() => void run(logout)}>
          Sure
        </Button>
      </div>
    </Dialog>
  );
}
