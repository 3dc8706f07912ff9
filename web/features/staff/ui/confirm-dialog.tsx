import { type ReactNode, useState } from 'react';
import { messageOf } from '#web/domain/messages.ts';
import { problemOf } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { FormError } from '#web/ui/field.tsx';

interface Props {
  title: string;
  children: ReactNode;
  action: string;
  busy: string;
  variant?: 'strong' | 'danger';
  onClose: () => void;
  onConfirm: () => Promise<void>;
}

export function ConfirmDialog({ title, children, action, busy, variant = 'danger', onClose, onConfirm }: Props) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="grid gap-4"
        noValidate
        onSubmit={async (event) => {
          event.preventDefault();
          setIsBusy(true);
          setFailure('');
          try {
            await onConfirm();
          } catch (error) {
            setFailure(messageOf(problemOf(error)));
          }
          setIsBusy(false);
        }}
      >
        <div className="grid gap-4">{children}</div>
        <FormError>{failure}</FormError>
        <DialogButtons onCancel={onClose}>
          <Button type="submit" variant={variant} busy={isBusy && busy}>
            {action}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
