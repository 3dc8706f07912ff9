import { type Campus, findCampus } from '#server/domain/campus-arrival.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import type { CampusError } from '#server/features/identity/campus/claims.ts';
import { clockToleranceSeconds, createProvider, timeoutSeconds } from '#server/features/identity/campus/provider.ts';
import { type Check, type Finding, fail, ok, warn } from './check.ts';

export const campusChecks: readonly Check[] = [
  {
    name: 'campus sign-on',
    run: async ({ config }) => {
      const campus = findCampus({ config, institution: readInstitution(config.institutionFile) });
      return campus ? checkProvider(campus, createProvider(campus, config.http.publicUrl)) : ok('Not used.');
    },
  },
];

type Provider = ReturnType<typeof createProvider>;

async function checkProvider({ issuer }: Campus, provider: Provider): Promise<Finding[]> {
  const redirect = ok(`Register this redirect URI at the provider: ${provider.redirectUri}`);
  const response = await fetch(`${issuer.replace(/\/$/u, '')}/.well-known/openid-configuration`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutSeconds * 1000),
  }).catch(() => null);
  const metadata = (await response?.json().catch(() => null)) as { issuer?: unknown } | null | undefined;
  if (!response?.ok || !metadata)
    return [redirect, fail(`${issuer} does not answer with its configuration. Check CAMPUS_ISSUER and the network.`)];
  if (metadata.issuer !== issuer)
    return [
      redirect,
      fail(`The provider calls itself ${String(metadata.issuer)}. Set CAMPUS_ISSUER to exactly this address.`),
    ];
  return [redirect, checkClock(response), await checkSecret(issuer, provider)];
}

function checkClock({ headers }: Response): Finding {
  const skewSeconds = Math.round(Math.abs(Date.parse(headers.get('date') ?? '') - Date.now()) / 1000);
  return skewSeconds > clockToleranceSeconds
    ? fail(`The clocks of this machine and the provider differ by ${skewSeconds} seconds. Synchronize with NTP.`)
    : ok('The provider answers, and its clock agrees.');
}

/** Finishes a sign-in with a made-up code: the provider checks the secret before the code. */
async function checkSecret(iss: string, provider: Provider): Promise<Finding> {
  const code = 'made-up-code-of-doctor'.padEnd(43, '-');
  const query = new URLSearchParams({ code, state: code, iss }).toString();
  const outcome = await provider
    .finish(query, { expectedState: code, expectedNonce: code, pkceCodeVerifier: code })
    .catch(({ message }: CampusError) => message);
  if (outcome === 'invalid_grant') return ok('The provider accepts the client and its secret.');
  return outcome === 'invalid_client'
    ? fail('The provider refuses the client. Renew CAMPUS_CLIENT_SECRET, and check CAMPUS_CLIENT_ID.')
    : warn('The provider did not say whether the secret is right. Try to sign in.');
}
