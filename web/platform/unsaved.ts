/** The forms on the screen that have unsaved edits. */
const forms = new Set<object>();

export const hasUnsavedEdits = (): boolean => forms.size > 0;

/** Leaving the page does not ask any more. */
export const clearUnsavedEdits = (): void => forms.clear();

/** Marks a form as edited. @returns how to take that back */
export function markUnsaved(): () => void {
  const form = {};
  forms.add(form);
  return () => void forms.delete(form);
}
