import type { ClientAuth, Configuration, CustomFetchOptions } from 'openid-client';
import type { CampusFailure } from '#contract/campus.ts';
import type { Campus, CampusFlow } from '#server/domain/campus-arrival.ts';
import { type Answer, googleIssuer, isMissingClaims, isSubject } from './claims.ts';

const timeoutSeconds = 5;
const clockToleranceSeconds = 30;
const maxResponseBytes = 256 * 1024;
const maxExchanges = 20;
const discoveryTtlMs = 24 * 60 * 60 * 1000;
const discoveryRetryMs = 30_000;

/** Why campus sign-on failed. Contains nothing that the provider sent, except `email`. */
export class CampusError extends Error {
  override readonly name = 'CampusError';
  readonly failure: CampusFailure;
  /** From a fixed list, for the log. */
  readonly outcome: string;
  /** The address that is not of the university. */
  readonly email: string | null;

  constructor(failure: CampusFailure, outcome: string, email: string | null = null) {
    super(outcome);
    this.failure = failure;
    this.outcome = outcome;
    this.email = email;
  }
}

export function createProvider(campus: Campus, publicUrl: string) {
  const redirectUri = `${publicUrl}/auth/campus/callback`;
  // Large library: load it at first use.
  const load = () => import('openid-client');
  const discover = createDiscovery(campus);
  let exchanges = 0;

  async function exchange(query: string, { state, nonce, verifier }: CampusFlow): Promise<Answer> {
    const client = await load();
    const configuration = await discover();
    const callback = new URL(redirectUri);
    callback.search = query;
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const idToken = tokens.claims();
    // The library accepts an empty subject and a future time.
    if (!idToken || !isSubject(idToken.sub)) throw new CampusError('refused', 'subject');
    if (idToken.iat > Date.now() / 1000 + clockToleranceSeconds) throw new CampusError('refused', 'issued-in-future');
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const userInfo =
      hasUserInfo && isMissingClaims(campus, idToken)
        ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
        : {};
    return { idToken: { ...idToken }, userInfo: { ...userInfo } };
  }

  return {
    /** Returns the URL of the provider that starts a sign-in. @param isRetry lets the person choose another account */
    start: async (isRetry: boolean): Promise<{ readonly url: string; readonly flow: CampusFlow }> => {
      const client = await load();
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const configuration = await discover();
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...toPrompt(campus, isRetry),
      });
      return { url: url.href, flow };
    },
    /** Exchanges the code in the query of a callback for claims, and discards all tokens. @throws CampusError */
    finish: async (query: string, flow: CampusFlow): Promise<Answer> => {
      if (exchanges >= maxExchanges) throw new CampusError('unavailable', 'busy');
      exchanges++;
      try {
        return await exchange(query, flow).catch(throwCampusError);
      } finally {
        exchanges--;
      }
    },
  };
}

/** Some providers refuse `select_account`. */
function toPrompt({ issuer, domains }: Campus, isRetry: boolean): Record<string, string> {
  const isGoogle = issuer === googleIssuer;
  if (isGoogle || new URL(issuer).hostname === 'login.microsoftonline.com')
    return {
      prompt: 'select_account',
      ...(isGoogle && { hd: domains.length === 1 ? (domains[0] ?? '*') : '*' }),
    };
  return isRetry ? { prompt: 'login' } : {};
}

/**
 * Returns a function that loads the provider’s configuration at first use and caches it for a day, or longer while the
 * provider is unavailable. Caches a failure for 30 seconds.
 */
function createDiscovery(campus: Campus): () => Promise<Configuration> {
  let latest: Promise<Configuration> | null = null;
  let found: Configuration | null = null;
  let nextReadAt = Infinity;

  async function read(): Promise<Configuration> {
    nextReadAt = Infinity;
    try {
      found = await readConfiguration(campus);
      nextReadAt = performance.now() + discoveryTtlMs;
    } catch (error) {
      nextReadAt = performance.now() + discoveryRetryMs;
      if (!found) throw error;
    }
    return found;
  }

  return () => (latest && performance.now() < nextReadAt ? latest : (latest = read()));
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
async function fetchLimited(url: string, { body, ...options }: CustomFetchOptions): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const response = await fetch(url, {
      ...options,
      ...(body !== undefined && { body: body as BodyInit }),
      redirect: 'manual',
    });
    const { status, headers } = response;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxResponseBytes) throw new CampusError('refused', 'too-large');
      chunks.push(chunk);
    }
    if (status >= 500 || status === 429) throw new CampusError('unavailable', 'server-error');
    return new Response(bytes > 0 ? Buffer.concat(chunks) : null, { status, headers });
  } catch (error) {
    throw error instanceof CampusError ? error : new CampusError('unavailable', 'network');
  }
}

/** The errors of OAuth 2.0 and OpenID Connect that people and operators can meet. */
const knownErrors = new Set(
  'account_selection_required consent_required interaction_required invalid_client invalid_grant invalid_request invalid_scope login_required unauthorized_client'.split(
    ' ',
  ),
);

/** The errors of the library contain tokens and claims, so only codes of known errors pass. */
function throwCampusError(error: unknown): never {
  const { cause, code, error: named } = error as { cause?: unknown; code?: unknown; error?: unknown };
  if (error instanceof CampusError) throw error;
  if (cause instanceof CampusError) throw cause;
  if (named === 'access_denied') throw new CampusError('cancelled', named);
  if (named === 'server_error' || named === 'temporarily_unavailable') throw new CampusError('unavailable', named);
  if (typeof named === 'string') throw new CampusError('refused', knownErrors.has(named) ? named : 'other-error');
  // A wrong secret, if the provider responds with WWW-Authenticate.
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') throw new CampusError('refused', 'invalid_client');
  throw new CampusError('refused', typeof code === 'string' ? code : 'unexpected');
}
