const forms = new Set<object>();

export const hasUnsavedEdits = (): boolean => forms.size > 0;

export const clearUnsavedEdits = (): void => forms.clear();

/** @returns a function that unmarks the form */
export function markUnsaved(): () => void {
  const form = {};
  forms.add(form);
  return () => void forms.delete(form);
}
