import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** `sheet` comes from below on a phone and from the right on a desk; `box` stands in the middle. */
  shape?: 'box' | 'sheet';
  /** Only its own buttons close it: what it shows is not shown again. */
  isSticky?: boolean;
}

const shapes = {
  box: 'm-auto w-[min(28rem,calc(100vw-2rem))] rounded-card',
  sheet:
    'mt-auto mb-0 w-full max-w-none max-h-[85dvh] rounded-t-2xl lg:my-0 lg:mr-0 lg:ml-auto lg:h-dvh lg:max-h-dvh lg:w-96 lg:rounded-none',
};

/** The platform's modal dialog, open as long as it is drawn: it keeps the focus inside, closes on Escape, and gives the focus back. */
export function Dialog({ onClose, title, children, shape = 'box', isSticky = false }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element>(null);
  const hasPressedBackdrop = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    // In development effects run twice; the second time it is open already. That it leaves the page closes it.
    if (dialog?.open === false) {
      opener.current = document.activeElement;
      dialog.showModal();
    }
    return () => {
      // The browser gives it back by itself when it closes a dialog; by now somebody may have gone on.
      if (document.activeElement === document.body || document.activeElement === null) restoreFocus(opener.current);
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      onCancel={(event) => {
        if (isSticky) event.preventDefault();
      }}
      // A press on the shade closes; one that only ends there, as when text is selected, does not.
      onPointerDown={(event) => (hasPressedBackdrop.current = isOnBackdrop(event))}
      onClick={(event) => {
        if (!isSticky && hasPressedBackdrop.current && isOnBackdrop(event)) ref.current?.close();
      }}
      className={`bg-raised p-0 floating open:animate-[rise_160ms_var(--ease-out)] ${shapes[shape]}`}
    >
      <div className="grid gap-4 p-6">
        <h2 id={id} className="text-lg font-bold">
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}

/** The shade belongs to the dialog itself, and lies around its box. */
function isOnBackdrop({ target, currentTarget, clientX: x, clientY: y }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (x < left || x > right || y < top || y > bottom);
}

/** What stands in a menu is out of sight by now; then the button of that menu has it. */
function restoreFocus(opener: Element | null): void {
  const menu = opener?.closest('[popover]');
  const place = menu ? document.querySelector(`[popovertarget="${menu.id}"]`) : opener;
  if (place instanceof HTMLElement) place.focus();
}
