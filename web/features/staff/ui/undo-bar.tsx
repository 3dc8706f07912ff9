import { Button } from '#web/ui/button.tsx';
import { Key } from './key.tsx';

interface Props {
  text: string | null;
  /** Changes with each action, so that the line that shows the time starts again. */
  id: string;
  seconds: number;
  onUndo: () => void;
  busy?: boolean;
  shortcut?: string;
}

export function UndoBar({ text, id, seconds, onUndo, busy = false, shortcut }: Props) {
  return (
    <div role="status" className="empty:hidden">
      {text !== null && (
        <div
          key={id}
          className="relative flex items-center gap-3 overflow-hidden rounded-card border border-line-strong bg-raised py-1 pr-1 pl-4 floating"
        >
          <p className="min-w-0 grow text-sm wrap-anywhere">{text}</p>
          <Button
            variant="bare"
            className="shrink-0"
            aria-keyshortcuts={shortcut}
            busy={busy && 'Undoing...'}
            onClick={onUndo}
          >
            Undo
            {shortcut !== undefined && <Key of={shortcut} />}
          </Button>
          <span
            aria-hidden="true"
            className="absolute inset-x-0 bottom-0 h-0.5 origin-left bg-brand"
            style={{ animation: `shrink ${seconds}s linear forwards` }}
          />
        </div>
      )}
    </div>
  );
}
