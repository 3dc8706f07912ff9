import { useState } from 'react';
import { messageOf } from '../../domain/messages.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toast } from '../../ui/toasts.ts';

interface Props {
  id: string;
  name: string;
  onClose: () => void;
  onBlocked: () => Promise<void>;
}

/** Asks once more, and says what a block does and what it does not. */
export default function BlockPerson({ id, name, onClose, onBlocked }: Props) {
  const [busy, setBusy] = useState(false);

  async function block() {
    setBusy(true);
    try {
      await callApi('PUT /api/blocks/{id}', { params: { id } });
      onClose();
      await onBlocked();
      toast('success', `You have blocked ${name}`);
    } catch (error) {
      const problem = problemOf(error);
      toast('error', problem.detail ?? messageOf(problem));
      setBusy(false);
    }
  }

  return (
    <Dialog onClose={onClose} title={`Block ${name}?`}>
      <p>
        They cannot write to you any more, nor you to them. They are not told: for them it looks as if you took no
        messages. They still see of your profile what every member sees.
      </p>
      <p className="text-sm text-ink-soft">You can take it back here, or in the settings under Privacy.</p>
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" busy={busy && 'Blocking...'} onClick={() => void block()}>
          Block
        </Button>
      </div>
    </Dialog>
  );
}
