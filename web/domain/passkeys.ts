import type { Assertion, CreationOptions, Registration, RequestOptions } from '#contract/second-factor.ts';
import { loadChunk } from '#web/platform/load-chunk.ts';
import { toast } from '#web/ui/toasts.ts';

/** Loaded on first use, because few users have a passkey. */
const loadLibrary = () => loadChunk(() => import('@simplewebauthn/browser'));

/** @returns null on failure, after an error toast */
export async function createPasskey(options: CreationOptions): Promise<Registration | null> {
  return withErrorToast(async () => (await loadLibrary()).startRegistration({ optionsJSON: options }));
}

/** @returns null on failure, after an error toast */
export async function authenticateWithPasskey(options: RequestOptions): Promise<Assertion | null> {
  return withErrorToast(async () => (await loadLibrary()).startAuthentication({ optionsJSON: options }));
}

async function withErrorToast<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  if (!('PublicKeyCredential' in window)) {
    toast('error', 'This browser cannot use passkeys (NotSupportedError)');
    return null;
  }
  try {
    return await ask();
  } catch (error) {
    const { name } = error as Error;
    toast('error', `${messageByErrorName[name] ?? 'The passkey did not work. Try again'} (${name})`);
    return null;
  }
}

/** Messages by error name. WebAuthn, sections 5.1.3 and 5.1.4, defines the names that browsers use. */
const messageByErrorName: Record<string, string> = {
  ChunkError: 'ERROR: Failed to fetch data',
  NotAllowedError: 'No passkey was used. You can try again',
  AbortError: 'No passkey was used. You can try again',
  InvalidStateError: 'This device already has a passkey for your account',
};
