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

interface ButtonProps extends Omit<Props, 'onClose'> {
  label: ReactNode;
  buttonVariant?: 'quiet' | 'danger';
  className?: string;
}

/** A button that opens a dialog. The dialog closes when the action succeeds. */
export function ConfirmButton({ label, buttonVariant = 'quiet', className, onConfirm, ...dialog }: ButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button variant={buttonVariant} className={className} onClick={() => setIsAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <ConfirmDialog
          {...dialog}
          onClose={() => setIsAsking(false)}
          onConfirm={async () => {
            await onConfirm();
            setIsAsking(false);
          }}
        />
      )}
    </>
  );
}
