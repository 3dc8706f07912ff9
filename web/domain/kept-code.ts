/*
 * Keeps the code of a slip that a visitor came with until the visitor has an account with a profile. `localStorage`, because the link that
 * verifies the address may open in another tab. It never leaves the browser, and the onboarding needs scripts anyway.
 */

const storageKey = 'join-code';

/** Age at which a kept code expires. */
const ttlMs = 7 * 24 * 60 * 60 * 1000;

export function keepCode(code: string): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify({ code, savedAt: Date.now() }));
  } catch {
    // Without storage, the visitor types the code again.
  }
}

/** Returns the kept code, or null. */
export function readKeptCode(): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? 'null') as { code: string; savedAt: number } | null;
    if (kept === null || Date.now() - kept.savedAt < ttlMs) return kept?.code ?? null;
    localStorage.removeItem(storageKey);
  } catch {
    // As without a code.
  }
  return null;
}

export function deleteKeptCode(): void {
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // Nothing is kept.
  }
}
