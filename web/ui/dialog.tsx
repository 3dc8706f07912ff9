import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface Props {
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** `sheet` is at the bottom on a phone and at the right on large screens; `box` is in the centre. */
  shape?: 'box' | 'sheet';
  /** Whether only the dialog's buttons close it, because its content is shown only once. */
  isSticky?: boolean;
  /**
   * Called before Escape, the backdrop or the close button closes the dialog. If it returns false, the dialog stays open.
   * Overrides `isSticky`.
   */
  mayClose?: () => boolean;
}

const shapes = {
  box: 'm-auto w-[min(28rem,calc(100vw-2rem))] rounded-card',
  sheet:
    'mx-auto mt-auto mb-0 w-full max-w-140 max-h-[85dvh] rounded-t-2xl lg:my-0 lg:mr-0 lg:ml-auto lg:h-dvh lg:max-h-dvh lg:w-96 lg:rounded-none',
};

/**
 * A native modal dialog that is open while it is mounted. It traps the focus, closes on Escape, and restores the focus.
 */
export function Dialog({ onClose, title, children, shape = 'box', isSticky = false, mayClose }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element>(null);
  const hasPressedBackdrop = useRef(false);
  const id = useId();
  const isClosable = () => mayClose?.() ?? !isSticky;
  const close = () => isClosable() && ref.current?.close();
  useEffect(() => {
    const dialog = ref.current;
    // In development effects run twice, and the second time the dialog is already open. Unmounting closes it.
    if (dialog?.open === false) {
      opener.current = document.activeElement;
      dialog.showModal();
    }
    return () => {
      // When a dialog closes, the browser restores the focus itself. The user may have moved the focus since.
      if (document.activeElement === document.body || document.activeElement === null) restoreFocus(opener.current);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // React also passes on these events of a dialog or a file field inside.
      onClose={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
      onCancel={(event) => {
        if (event.target === event.currentTarget && !isClosable()) event.preventDefault();
      }}
      // A click on the backdrop closes the dialog, but not a click that began inside, such as selecting text.
      onPointerDown={(event) => (hasPressedBackdrop.current = isOnBackdrop(event))}
      onClick={(event) => {
        if (hasPressedBackdrop.current && isOnBackdrop(event)) close();
      }}
      className={`border border-line bg-raised floating open:flex flex-col open:animate-[rise_160ms_var(--ease-out)] ${shapes[shape]}`}
    >
      <div className={`grid gap-4 p-6 ${shape === 'sheet' ? 'grow grid-rows-[auto_1fr]' : ''}`}>
        <h2
          id={id}
          className={`text-lg font-bold wrap-anywhere ${isSticky ? '' : 'pr-9'} ${shape === 'sheet' ? 'sticky top-0 z-10 -mx-6 -mt-6 border-b border-line bg-raised px-6 py-4' : ''}`}
        >
          {title}
        </h2>
        {children}
      </div>
      {/* The last in the tab order, so that a dialog opens with the focus on its first field or button. */}
      {!isSticky && (
        <button
          type="button"
          aria-label="Close"
          className="sticky top-2 z-10 order-first mt-2 mr-2 -mb-13 grid size-11 shrink-0 place-items-center self-end rounded-control bg-raised hover:bg-wash"
          onClick={close}
        >
          <Icon name="x" />
        </button>
      )}
    </dialog>
  );
}

/** @param children the button that acts */
export const DialogButtons = ({ onCancel, children }: { onCancel: () => void; children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-3">
    <Button variant="quiet" onClick={onCancel}>
      Cancel
    </Button>
    {children}
  </div>
);

/** The target of a click on the backdrop is the dialog element, outside the dialog's box. */
function isOnBackdrop({ target, currentTarget, clientX: x, clientY: y }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (x < left || x > right || y < top || y > bottom);
}

/** Focuses the element that opened the dialog, or the button of its menu if the menu has closed. */
function restoreFocus(opener: Element | null): void {
  const menu = opener?.closest('[popover]');
  const target = menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : opener;
  if (target instanceof HTMLElement) target.focus();
}
