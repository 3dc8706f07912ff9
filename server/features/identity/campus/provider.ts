import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import type { Campus, CampusFlow } from '#server/domain/campus-arrival.ts';
import { createWorkQueue } from '#server/platform/limits/work-queue.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { type Answer, CampusError, googleIssuer, isMissingClaims, isSubject } from './claims.ts';

export const timeoutSeconds = 5;
export const clockToleranceSeconds = 30;
const maxResponseBytes = 256 * 1024;
const discoveryTtlMs = 24 * 60 * 60 * 1000;
const discoveryRetryMs = 30_000;

export function createProvider(campus: Campus, publicUrl: string) {
  const redirectUri = `${publicUrl}/auth/campus/callback`;
  const discover = createDiscovery(campus);
  const exchanges = createWorkQueue({ maxConcurrent: 20, maxWaiting: 0 });

  return {
    redirectUri,
    /** Returns the URL of the provider that starts a sign-in. @param isRetry lets the person choose another account */
    start: async (isRetry: boolean): Promise<{ readonly url: string; readonly flow: CampusFlow }> => {
      // Large library: load it at first use.
      const client = await import('openid-client');
      const flow = {
        expectedState: client.randomState(),
        expectedNonce: client.randomNonce(),
        pkceCodeVerifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(await discover(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: flow.expectedState,
        nonce: flow.expectedNonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.pkceCodeVerifier),
        code_challenge_method: 'S256',
        ...toPrompt(campus, isRetry),
      });
      return { url: url.href, flow };
    },
    /** Exchanges the code in the query of a callback for claims, and discards all tokens. @throws CampusError */
    finish: (query: string, flow: CampusFlow): Promise<Answer> =>
      exchanges(async () => {
        const client = await import('openid-client');
        const configuration = await discover();
        const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), flow);
        const idToken = tokens.claims();
        // The library accepts an empty subject and a future time.
        if (!idToken || !isSubject(idToken.sub)) throw new CampusError('refused', 'subject');
        if (idToken.iat > Date.now() / 1000 + clockToleranceSeconds)
          throw new CampusError('refused', 'issued-in-future');
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        if (!hasUserInfo || !isMissingClaims(campus, idToken)) return { idToken, userInfo: {} };
        return { idToken, userInfo: await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub) };
      }).catch((error: unknown) => {
        throw toCampusError(error);
      }),
  };
}

/** Some providers refuse `select_account`. */
function toPrompt({ issuer, domains }: Campus, isRetry: boolean): Record<string, string> {
  if (issuer === googleIssuer) return { prompt: 'select_account', hd: domains.length > 1 ? '*' : (domains[0] ?? '*') };
  if (new URL(issuer).hostname === 'login.microsoftonline.com') return { prompt: 'select_account' };
  return isRetry ? { prompt: 'login' } : {};
}

/** Caches the provider’s configuration for a day, or longer while the provider fails, and a failure for 30 seconds. */
function createDiscovery(campus: Campus): () => Promise<Configuration> {
  let latest: Promise<Configuration> | null = null;
  let nextReadAt = 0;
  return () => {
    if (latest && performance.now() < nextReadAt) return latest;
    const last = latest?.catch(() => null);
    nextReadAt = performance.now() + discoveryTtlMs;
    latest = readConfiguration(campus).catch(async (error: unknown) => {
      nextReadAt = performance.now() + discoveryRetryMs;
      const found = await last;
      if (found) return found;
      throw error;
    });
    return latest;
  };
}

async function readConfiguration({ issuer, clientId, clientSecret }: Campus): Promise<Configuration> {
  const client = await import('openid-client');
  const [post, basic] = [client.ClientSecretPost(clientSecret), client.ClientSecretBasic(clientSecret)];
  const authenticate: ClientAuth = (server, ...rest) =>
    (server.token_endpoint_auth_methods_supported?.includes('client_secret_post') ? post : basic)(server, ...rest);
  const configuration = await client
    .discovery(new URL(issuer), clientId, { [client.clockTolerance]: clockToleranceSeconds }, authenticate, {
      timeout: timeoutSeconds,
      [client.customFetch]: fetchLimited,
      // The settings allow http on this machine only.
      execute: [
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
      ],
    })
    .catch(() => {
      throw new CampusError('unavailable', 'discovery');
    });
  // The library accepts Microsoft's issuers for all tenants, and another final slash.
  if (configuration.serverMetadata().issuer !== issuer) throw new CampusError('unavailable', 'other-issuer');
  return configuration;
}

/** @throws CampusError if the provider does not answer in time, or with too much */
async function fetchLimited(url: string, options: CustomFetchOptions): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const response = await fetch(url, options as RequestInit);
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxResponseBytes) throw new CampusError('refused', 'too-large');
      chunks.push(chunk);
    }
    if (response.status >= 500 || response.status === 429) throw new CampusError('unavailable', 'server-error');
    // Some statuses forbid a body.
    return new Response(bytes > 0 ? Buffer.concat(chunks) : null, response);
  } catch (error) {
    throw error instanceof CampusError ? error : new CampusError('unavailable', 'network');
  }
}

/** The errors of OAuth 2.0 that the log may contain. */
const knownErrors = [
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'unauthorized_client',
];

/** The errors of the library contain tokens and claims, so only codes of known errors pass. */
function toCampusError(error: unknown): CampusError {
  const { cause, code, error: named } = error as { cause?: unknown; code?: string; error?: unknown };
  if (error instanceof CampusError) return error;
  if (cause instanceof CampusError) return cause;
  // The queue is full, because the provider is slow.
  if (error instanceof ProblemError) return new CampusError('unavailable', 'busy');
  if (named === 'access_denied') return new CampusError('cancelled', named);
  if (named === 'server_error' || named === 'temporarily_unavailable') return new CampusError('unavailable', named);
  // A wrong secret, if the provider responds with WWW-Authenticate.
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return new CampusError('refused', 'invalid_client');
  return new CampusError('refused', knownErrors.find((one) => one === named) ?? code ?? 'unexpected');
}
