/** The forms on the page with unsaved edits. */
const forms = new Set<object>();

export const hasUnsavedEdits = (): boolean => forms.size > 0;

/** Forgets all unsaved edits, so that leaving the page no longer requires confirmation. */
export const clearUnsavedEdits = (): void => forms.clear();

/** Marks a form as edited. @returns a function that unmarks it */
export function markUnsaved(): () => void {
  const form = {};
  forms.add(form);
  return () => void forms.delete(form);
}
