import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';

export function RestoredDraft({ onDiscard, children }: { onDiscard: () => void; children?: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center justify-between gap-3 rounded-card border border-brand-line bg-wash p-4"
    >
      <p>We have restored what you typed. {children}</p>
      <Button look="bare" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  );
}
