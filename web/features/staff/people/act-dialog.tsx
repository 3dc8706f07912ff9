import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';

interface Props {
  title: string;
  /** What will happen, and the fields of the act. */
  children: ReactNode;
  /** The label of the button. */
  action: string;
  look?: 'strong' | 'danger';
  onClose: () => void;
  /** @param text returns the trimmed value of a field, or an empty text */
  onSubmit: (text: (field: string) => string) => void;
}

/** Asks before an act. The browser checks required fields. */
export const ActDialog = ({ title, children, action, look = 'strong', onClose, onSubmit }: Props) => (
  <Dialog title={title} onClose={onClose}>
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        onSubmit((field) => {
          const value = fields.get(field);
          return typeof value === 'string' ? value.trim() : '';
        });
      }}
    >
      {children}
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" look={look}>
          {action}
        </Button>
      </div>
    </form>
  </Dialog>
);
