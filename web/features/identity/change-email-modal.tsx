import { ChangeEmailForm } from '#web/domain/change-email-form.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

interface Props {
  onClose: () => void;
  onChanged: () => void;
}

export function ChangeEmailModal({ onClose, onChanged }: Props) {
  return (
    <Dialog onClose={onClose} title="Change my email">
      <ChangeEmailForm
        hint="We send a new link to this address, and the old link stops working."
        onCancel={onClose}
        onChanged={() => {
          onClose();
          onChanged();
        }}
      />
    </Dialog>
  );
}
