import { keptCodeKey } from './session.ts';

/*
 * Keeps the code of a slip that a visitor came with until the visitor has an account with a profile. `localStorage`,
 * because the link that verifies the address may open in another tab. It never leaves the browser, and the onboarding
 * needs scripts anyway (decision 65). A sign-out deletes it.
 */

const ttlMs = 7 * 24 * 60 * 60 * 1000;

export function keepCode(code: string): void {
  try {
    localStorage.setItem(keptCodeKey, JSON.stringify({ code, savedAt: Date.now() }));
  } catch {
    // Without storage, the visitor types the code again.
  }
}

export function readKeptCode(): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keptCodeKey) ?? 'null') as { code: string; savedAt: number } | null;
    if (kept === null || Date.now() - kept.savedAt < ttlMs) return kept?.code ?? null;
    localStorage.removeItem(keptCodeKey);
  } catch {
    // As without a code.
  }
  return null;
}

export function deleteKeptCode(): void {
  try {
    localStorage.removeItem(keptCodeKey);
  } catch {
    // Nothing is kept.
  }
}
