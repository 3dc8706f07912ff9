import { useState } from 'react';
import { messageOf } from '#web/domain/messages.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toasts.ts';

interface Props {
  id: string;
  name: string;
  onClose: () => void;
  onBlocked: () => Promise<void>;
}

export default function BlockPerson({ id, name, onClose, onBlocked }: Props) {
  const [isBusy, setIsBusy] = useState(false);

  async function block() {
    setIsBusy(true);
    try {
      await callApi('PUT /api/blocks/{id}', { params: { id } });
      onClose();
      await onBlocked();
      toast('success', `You have blocked ${name}`);
    } catch (error) {
      const problem = problemOf(error);
      toast('error', problem.detail ?? messageOf(problem));
      setIsBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title={`Block ${name}?`}>
      <p>
        You can no longer write to each other. They are not notified: to them, it looks as if you do not accept
        messages. They still see everything on your profile that is visible to members.
      </p>
      <p className="text-sm text-ink-soft">You can unblock them here or in the settings under Privacy.</p>
      <DialogButtons onCancel={onClose}>
        <Button variant="danger" busy={isBusy && 'Blocking...'} onClick={() => void block()}>
          Block
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
