import type { ReactNode, SubmitEvent } from 'react';
import { useAction } from '#web/domain/use-action.ts';
import { readFields } from '#web/platform/form.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { type KeptTexts, useKeptTexts } from '../ui/use-kept-texts.ts';

interface Props {
  title: string;
  kept?: KeptTexts;
  children: ReactNode;
  action: string;
  variant?: 'strong' | 'danger';
  onClose: () => void;
  /**
   * After a failure, the dialog stays open and keeps what was typed.
   * @param text returns the trimmed value of a field, or an empty text
   */
  onSubmit: (text: (field: string) => string) => Promise<void>;
}

export function ActionDialog({ title, kept, children, action, variant = 'strong', onClose, onSubmit }: Props) {
  const { isBusy, run } = useAction();
  const keptTexts = useKeptTexts(kept);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = readFields(new FormData(event.currentTarget));
    await run(() => onSubmit((field) => fields[field]?.trim() ?? ''));
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form className="grid gap-4" onSubmit={submit} {...keptTexts}>
        {children}
        <DialogButtons onCancel={onClose}>
          <Button type="submit" variant={variant} busy={isBusy && 'Please wait...'}>
            {action}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
