import { type Campus, findCampus } from '#server/domain/campus-arrival.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';

const requestTimeoutMs = 5_000;

/** The tolerance of a sign-in. */
const maxSkewSeconds = 30;

export const campusChecks: readonly Check[] = [
  {
    name: 'campus sign-on',
    run: async ({ config }) => {
      const campus = findCampus({ config, institution: readInstitution(config.institutionFile) });
      return campus ? checkProvider(campus, `${config.http.publicUrl}/auth/campus/callback`) : ok('Not used.');
    },
  },
];

async function checkProvider(campus: Campus, redirectUri: string): Promise<Finding[]> {
  const { issuer } = campus;
  const redirect = ok(`Register this redirect URI at the provider: ${redirectUri}`);
  const response = await request(`${issuer.replace(/\/$/u, '')}/.well-known/openid-configuration`);
  const metadata = (await response?.json().catch(() => null)) as Record<string, unknown> | null | undefined;
  if (!response?.ok || !metadata)
    return [redirect, fail(`${issuer} does not answer with its configuration. Check CAMPUS_ISSUER and the network.`)];
  if (metadata['issuer'] !== issuer)
    return [
      redirect,
      fail(`The provider calls itself ${String(metadata['issuer'])}. Set CAMPUS_ISSUER to exactly this address.`),
    ];
  return [redirect, checkClock(response), await checkSecret(campus, metadata['token_endpoint'], redirectUri)];
}

function checkClock({ headers }: Response): Finding {
  const skewSeconds = Math.round(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now()) / 1000);
  return skewSeconds > maxSkewSeconds
    ? fail(`The clocks of this machine and the provider differ by ${skewSeconds} seconds. Synchronize with NTP.`)
    : ok('The provider answers, and its clock agrees.');
}

/** Sends a made-up code: the provider checks the secret before the code. */
async function checkSecret(
  { clientId, clientSecret }: Campus,
  endpoint: unknown,
  redirectUri: string,
): Promise<Finding> {
  const code = 'made-up-code-of-doctor';
  const body = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: code.padEnd(43, '-'),
  };
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  const basic = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64');
  const errors: unknown[] = [];
  // Providers accept one of these ways, or both.
  for (const [headers, more] of [
    [{}, { client_id: clientId, client_secret: clientSecret }],
    [{ authorization: `Basic ${basic}` }, {}],
  ] as const) {
    const response = await request(String(endpoint), {
      method: 'POST',
      headers,
      body: new URLSearchParams({ ...body, ...more }),
    });
    const answer = (await response?.json().catch(() => null)) as { error?: unknown } | null | undefined;
    if (answer?.error === 'invalid_grant') return ok('The provider accepts the client and its secret.');
    errors.push(answer?.error);
  }
  return errors.includes('invalid_client')
    ? fail('The provider refuses the client. Renew CAMPUS_CLIENT_SECRET, and check CAMPUS_CLIENT_ID.')
    : warn('The provider did not say whether the secret is right. Try to sign in.');
}

const request = (url: string, options: RequestInit = {}): Promise<Response | null> =>
  fetch(url, { ...options, redirect: 'manual', signal: AbortSignal.timeout(requestTimeoutMs) }).catch(() => null);
