import { type ReactNode, createContext, use, useEffect, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Key } from '../ui/key.tsx';

export interface DecisionAction {
  readonly id: string;
  readonly label: string;
  /** The key that presses the button: `a` to accept, `r` to reject, another letter for others. Not j, k, m, n or u. */
  readonly shortcut: string;
  readonly variant?: 'strong' | 'quiet' | 'danger';
  readonly isDisabled?: boolean;
  /** A `ChoicePanel` or a `TextPanel`, which opens above the buttons. */
  readonly panel: ReactNode;
}

interface OpenItemState {
  /** Whether it cannot be decided now, because it is decided already or another member of staff holds it. */
  readonly isLocked: boolean;
  /** What was typed about the item, by the label of the button that sends it. */
  readonly texts: Map<string, string>;
  /** What the bar shows above its buttons on phones: the last decisions, to undo them or to send them again. */
  readonly lastDecisions: ReactNode;
  /** What the bar always shows above its buttons: why the item cannot be decided, or why the decision was not saved. */
  readonly notice: ReactNode;
  /**
   * What the bar shows instead of its buttons after the decision: how the item was decided, and how to take that back.
   * Null: the item is pending.
   */
  readonly closedNotice: ReactNode;
}

export const OpenItem = createContext<OpenItemState>({
  isLocked: false,
  texts: new Map(),
  lastDecisions: null,
  notice: null,
  closedNotice: null,
});

export const useIsClosed = (): boolean => use(OpenItem).closedNotice !== null;

interface Props {
  readonly actions: readonly DecisionAction[];
  readonly obstacle?: ReactNode;
  readonly openAtFirst?: string | undefined;
}

/**
 * The buttons are at the foot of the detail, so that they are always at the same place. A button opens a panel above
 * the buttons, which decides: a second press at the same place does nothing.
 */
export function DecisionBar({ actions, obstacle, openAtFirst }: Props) {
  const { isLocked, lastDecisions, notice, closedNotice } = use(OpenItem);
  const [openId, setOpenId] = useState(openAtFirst ?? null);
  const buttons = useRef<HTMLDivElement>(null);
  // An open panel stays when the item is lost, so that what was typed can be copied, or sent after taking the item
  // over.
  const open = actions.find(({ id }) => id === openId);

  // Away from the others, at the right.
  const firstDanger = actions.find(({ variant }) => variant === 'danger')?.id;

  function close() {
    setOpenId(null);
    buttons.current?.querySelector<HTMLElement>('[aria-expanded=true]')?.focus();
  }

  if (closedNotice !== null)
    return (
      <div className="sticky bottom-0 z-10 -mx-4 mt-auto border-t border-line bg-raised px-4 py-3 lg:-mx-6 lg:px-6">
        {closedNotice}
      </div>
    );
  if (obstacle !== undefined) return <p className="rounded-control bg-wash px-4 py-2.5">{obstacle}</p>;
  return (
    <div className="needs-scripts sticky bottom-0 z-10 -mx-4 mt-auto border-t border-line bg-raised px-4 lg:-mx-6 lg:px-6">
      {open ? (
        <Panel key={open.id} isShort={Boolean(notice)} onClose={close}>
          {open.panel}
        </Panel>
      ) : (
        <div className="-mx-1 has-[p]:pt-2 lg:hidden">{lastDecisions}</div>
      )}
      {notice && <div className="pt-3">{notice}</div>}
      <div
        ref={buttons}
        role="group"
        aria-label="Decision"
        className="flex flex-wrap gap-2 pt-3 pb-[max(0.75rem,env(safe-area-inset-bottom))]"
      >
        {actions.map(({ id, label, shortcut, variant = 'quiet', isDisabled = false }) => (
          <Button
            key={id}
            // Filled only in the panel, where it decides.
            variant={variant === 'danger' ? 'quiet' : variant}
            className={`max-lg:grow max-lg:px-2 max-lg:text-sm ${variant === 'danger' ? 'border-danger! text-danger!' : ''} ${id === firstDanger ? 'lg:ml-auto' : ''} ${isDisabled ? 'border-line! text-ink-soft! opacity-100! max-lg:hidden' : ''}`}
            disabled={isLocked || isDisabled}
            aria-expanded={id === openId}
            aria-keyshortcuts={shortcut}
            onClick={() => (id === openId ? close() : setOpenId(id))}
          >
            {label}
            <Key of={shortcut} />
          </Button>
        ))}
      </div>
    </div>
  );
}

interface PanelProps {
  isShort: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The focus is on the first button or field of the panel. Escape closes it. */
function Panel({ isShort, onClose, children }: PanelProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    ref.current?.querySelector<HTMLElement>('button, textarea, input')?.focus({ preventScroll: true });
  }, []);
  return (
    <div
      ref={ref}
      data-panel=""
      className={`relative overflow-y-auto border-b border-line py-4 ${isShort ? 'max-h-[45dvh]' : 'max-h-[70dvh]'}`}
    >
      {children}
      <button
        type="button"
        aria-label="Close"
        aria-keyshortcuts="Escape"
        className="absolute top-1 -right-2 grid size-11 place-items-center rounded-control hover:bg-wash"
        onClick={onClose}
      >
        <Icon name="x" />
      </button>
    </div>
  );
}
