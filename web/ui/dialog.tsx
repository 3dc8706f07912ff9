import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  onClose: () => void;
  title: string;
  children: ReactNode;
  /** `sheet` comes from below on a phone and from the right on a desk; `box` stands in the middle. */
  shape?: 'box' | 'sheet';
}

const shapes = {
  box: 'm-auto w-[min(28rem,calc(100vw-2rem))] rounded-card',
  sheet:
    'mt-auto mb-0 w-full max-w-none max-h-[85dvh] rounded-t-2xl lg:my-0 lg:mr-0 lg:ml-auto lg:h-dvh lg:max-h-dvh lg:w-96 lg:rounded-none',
};

/** The platform's modal dialog, open as long as it is drawn: it keeps the focus inside, closes on Escape, and gives the focus back. */
export function Dialog({ onClose, title, children, shape = 'box' }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      // A press on the shade, which belongs to the dialog itself, closes.
      onClick={(event) => event.target === ref.current && ref.current.close()}
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
