/**
 * What has been filled in so far, kept in this tab's own storage: a reload loses nothing, and nothing stays on a shared
 * computer once the tab is closed or somebody signs out: what is not under the uid of who is signed in,
 * `web/domain/session.ts` deletes.
 */
const keyOf = (uid: string) => `onboarding:${uid}`;

export function readDraft(uid: string): Record<string, unknown> | null {
  try {
    const text = sessionStorage.getItem(keyOf(uid));
    return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return null;
  }
}

export function writeDraft(uid: string, values: Record<string, unknown>): void {
  try {
    sessionStorage.setItem(keyOf(uid), JSON.stringify(values));
  } catch {
    // No storage, or no room in it: the wizard works all the same, only a reload starts anew.
  }
}

export function deleteDraft(uid: string): void {
  try {
    sessionStorage.removeItem(keyOf(uid));
  } catch {
    // No storage, so no draft.
  }
}
