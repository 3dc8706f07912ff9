import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';

interface Props {
  onDiscard?: () => void;
  children?: ReactNode;
}

export function RestoredDraft({ onDiscard, children }: Props) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-brand-line bg-wash p-4"
    >
      <p>We have restored what you typed. {children}</p>
      {onDiscard && (
        <Button variant="bare" onClick={onDiscard}>
          Discard
        </Button>
      )}
    </div>
  );
}
