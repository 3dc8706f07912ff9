import type { ReactNode, SubmitEvent } from 'react';
import { Button } from '#web/ui/button.tsx';

interface Props {
  children: ReactNode;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  action?: string;
  busy?: boolean;
}

/** Without JavaScript the form sends a GET request. */
export function FilterBar({ children, onSubmit, action = 'Show', busy = false }: Props) {
  return (
    <form method="get" className="flex flex-wrap items-end gap-3 [&>div]:grow [&>div]:basis-44" onSubmit={onSubmit}>
      {children}
      <Button type="submit" variant="quiet" busy={busy && 'Loading...'}>
        {action}
      </Button>
    </form>
  );
}
