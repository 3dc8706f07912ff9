import { type ChangeEvent, useEffect, useRef } from 'react';

/** What was typed into dialogs that were closed. The page that opens the dialogs keeps it. */
export type KeptTexts = Map<string, string>;

/**
 * Fills the text areas of a form with what was typed when it was open before.
 * @param prefix distinguishes forms of one page, before the names of the fields
 * @returns properties of the form
 */
export function useKeptTexts(kept?: KeptTexts, prefix = '') {
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    for (const field of ref.current?.querySelectorAll('textarea') ?? [])
      field.value = kept?.get(prefix + field.name) ?? field.value;
  }, [kept, prefix]);
  return {
    ref,
    onChange: ({ target }: ChangeEvent<HTMLElement>) => {
      if (target instanceof HTMLTextAreaElement) kept?.set(prefix + target.name, target.value);
    },
  };
}
