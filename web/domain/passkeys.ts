import type { Assertion, CreationOptions, Registration, RequestOptions } from '#contract/second-factor.ts';
import { loadChunk } from '../platform/load-chunk.ts';
import { toast } from '../ui/toasts.ts';

/** Few have a passkey: what speaks with it comes when it is used. */
const loadLibrary = () => loadChunk(() => import('@simplewebauthn/browser'));

/** Has this device make a passkey. @returns null when none was made; why, somebody has been told */
export async function createPasskey(options: CreationOptions): Promise<Registration | null> {
  return withErrorToast(async () => (await loadLibrary()).startRegistration({ optionsJSON: options }));
}

/** Has somebody show a passkey. @returns null when none was shown; why, they have been told */
export async function authenticateWithPasskey(options: RequestOptions): Promise<Assertion | null> {
  return withErrorToast(async () => (await loadLibrary()).startAuthentication({ optionsJSON: options }));
}

async function withErrorToast<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  if (!('PublicKeyCredential' in window)) {
    toast('error', 'This browser cannot use passkeys');
    return null;
  }
  try {
    return await ask();
  } catch (error) {
    const { name } = error as Error;
    toast('error', messageByErrorName[name] ?? 'The passkey did not work. Try again');
    return null;
  }
}

/** By the names that browsers give (WebAuthn, sections 5.1.3 and 5.1.4). */
const messageByErrorName: Record<string, string> = {
  ChunkError: 'ERROR: Failed to fetch data',
  NotAllowedError: 'No passkey was used. You can try again',
  AbortError: 'No passkey was used. You can try again',
  InvalidStateError: 'This device already has a passkey for your account',
};
