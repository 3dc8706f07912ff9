import { Fragment } from 'react';
import { Dialog } from '#web/ui/dialog.tsx';
import type { Shortcuts } from './use-shortcuts.ts';

const lines = [
  ['j, k', 'Next or previous item'],
  ['Enter', 'Open the item'],
  ['1 to 5', 'Choose an entry or a reason. After a or o: say what you saw, and confirm'],
  ['a', 'Accept. In a report: dismiss. In a dispute: the holder keeps the entry'],
  ['r', 'Reject. In a dispute: the holder loses the entry'],
  ['o', 'Confirm without an entry'],
  ['q', 'Ask the claimant'],
  ['h, t, s', 'Hide, take down or suspend, in a report'],
  ['n, m', 'Write a note'],
  ['u', 'Undo the last decision'],
  ['Esc', 'Close, or go back to the list'],
  ['Ctrl + Enter', 'Send the text'],
  ['?', 'Show this list'],
] as const;

export function ShortcutDialog({ shortcuts }: { shortcuts: Shortcuts }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={shortcuts.hide}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        {lines.map(([keys, does]) => (
          <Fragment key={keys}>
            <dt>
              <kbd className="font-sans font-semibold">{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="text-sm text-ink-soft">Shortcuts work in the review queue, except while you type in a field.</p>
      <label className="flex min-h-11 items-center gap-3">
        <input
          type="checkbox"
          className="size-5 shrink-0 accent-brand"
          checked={shortcuts.areOn}
          onChange={({ target }) => shortcuts.turn(target.checked)}
        />
        Use single-key shortcuts
      </label>
    </Dialog>
  );
}
