import type { ReactNode, SubmitEvent } from 'react';
import { Button } from '#web/ui/button.tsx';

interface Props {
  /** The fields, for example a `TextField` and a `SelectField`. */
  children: ReactNode;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  /** The label of the button. */
  action?: string;
  busy?: boolean;
}

/** Shows the fields that filter a list, side by side where there is room, with a button. Without JavaScript the form sends a GET request. */
export function FilterBar({ children, onSubmit, action = 'Show', busy = false }: Props) {
  return (
    <form method="get" className="flex flex-wrap items-end gap-3 [&>div]:grow [&>div]:basis-44" onSubmit={onSubmit}>
      {children}
      <Button type="submit" look="quiet" busy={busy && 'Loading...'}>
        {action}
      </Button>
    </form>
  );
}
