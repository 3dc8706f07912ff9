import { useState } from 'react';
import { useNavigate } from 'react-router';
import { signOut } from '#web/domain/session.ts';
import { paths } from '#web/domain/paths.ts';
import { problemOf } from '#web/platform/api.ts';
import { clearUnsavedEdits, hasUnsavedEdits } from '#web/platform/unsaved.ts';
import { messageOf } from '#web/domain/messages.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toasts.ts';

export default function LogoutModal({ onClose }: { onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const navigate = useNavigate();

  async function logout() {
    setBusy(true);
    try {
      await signOut();
      onClose();
      clearUnsavedEdits();
      await navigate(paths.login);
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title="Do you really want to bail on us?">
      {hasUnsavedEdits() && <p>Your changes on this page are not saved.</p>}
      <div className="flex flex-wrap justify-end gap-3">
        <Button variant="quiet" onClick={onClose}>
          No!!!
        </Button>
        <Button busy={busy && 'Sure'} onClick={() => void logout()}>
          Sure
        </Button>
      </div>
    </Dialog>
  );
}
