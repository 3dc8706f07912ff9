import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';

const storageKey = 'staff-shortcuts';

const textFields = 'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])';

/**
 * Handles single keys while the focus is in the queue (WCAG 2.1.4): j and k move between the rows, the other keys press
 * the button whose `aria-keyshortcuts` names them. No key does anything in a text field, and the user can turn the
 * shortcuts off.
 * @param onBack shows the list on phones
 */
export function useShortcuts(root: RefObject<HTMLElement | null>, onBack: () => void) {
  const [areOn, setAreOn] = useState(true);
  const [isShown, setIsShown] = useState(false);
  useEffect(() => setAreOn(localStorage.getItem(storageKey) !== 'off'), []);

  /** Presses the visible button of a key. While a panel is open, only its own. @returns whether there is one */
  function press(key: string): boolean {
    const scope = root.current?.querySelector('[data-panel]') ?? root.current;
    const button = [...(scope?.querySelectorAll<HTMLElement>(`[aria-keyshortcuts~="${CSS.escape(key)}"]`) ?? [])].find(
      (element) => element.checkVisibility(),
    );
    button?.click();
    return button !== undefined;
  }

  /**
   * Moves the focus to the next or the previous row, from the focused or the open one. Without a visible list, opens
   * it.
   */
  function move(step: 1 | -1): void {
    const rows = [...(root.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
    const focused = rows.indexOf(document.activeElement as HTMLElement);
    const from = focused === -1 ? rows.findIndex((row) => row.ariaCurrent !== null) : focused;
    const row = rows[from + step];
    if (row?.checkVisibility()) row.focus();
    else row?.click();
  }

  function leave(): void {
    if (press('Escape')) return;
    const row = root.current?.querySelector<HTMLElement>('[data-row][aria-current]');
    if (row?.checkVisibility()) row.focus();
    else onBack();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (!(target instanceof Element) || ctrlKey || metaKey || altKey || target.closest('dialog')) return;
    if (key === 'Escape') leave();
    else if (!areOn || target.closest(textFields)) return;
    else if (key === 'j' || key === 'k') move(key === 'j' ? 1 : -1);
    else if (!/^[a-z1-9?]$/u.test(key) || event.repeat || !press(key)) return;
    // The key must not be typed into the field that it opens.
    event.preventDefault();
  }

  return {
    areOn,
    isShown,
    onKeyDown,
    show: () => setIsShown(true),
    hide: () => setIsShown(false),
    turn: (isOn: boolean) => {
      localStorage.setItem(storageKey, isOn ? 'on' : 'off');
      setAreOn(isOn);
    },
  };
}

export type Shortcuts = ReturnType<typeof useShortcuts>;
