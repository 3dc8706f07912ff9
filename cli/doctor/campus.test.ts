import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '#server/platform/config/config.ts';
import { type TestIssuer, openIssuer, writeCampusSettings } from '#server/testing/campus.ts';
import { campusChecks } from './campus.ts';

let issuer: TestIssuer;
beforeEach(async () => {
  issuer = await openIssuer();
});
afterEach(() => issuer.close());

async function runCheck(change: NodeJS.ProcessEnv = {}): Promise<string[]> {
  const { environment, remove } = writeCampusSettings(issuer.issuer);
  const config = readConfig({ ...environment, ...change });
  const found = await campusChecks[0]?.run({ config, archive: null, migrations: { missing: [], problem: null } });
  remove();
  return [found ?? []].flat().map(({ level, message }) => `${level}: ${message}`);
}

const redirect = 'OK: Register this redirect URI at the provider: http://localhost:3000/auth/campus/callback';
const answers = 'OK: The provider answers, and its clock agrees.';

test('reports a provider that answers and accepts the secret, in either way', async () => {
  expect(await runCheck()).toEqual([redirect, answers, 'OK: The provider accepts the client and its secret.']);
  issuer.metadata = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
  expect(await runCheck()).toEqual([redirect, answers, 'OK: The provider accepts the client and its secret.']);
});

test('reports a provider that does not answer', async () => {
  issuer.isDown = () => true;
  expect(await runCheck()).toEqual([redirect, expect.stringMatching(/^FAIL: .* does not answer/u)]);
});

test('reports another issuer, with the one to set', async () => {
  issuer.metadata = { issuer: 'https://login.example.edu/{tenantid}' };
  expect(await runCheck()).toEqual([
    redirect,
    'FAIL: The provider calls itself https://login.example.edu/{tenantid}. Set CAMPUS_ISSUER to exactly this address.',
  ]);
});

test('reports a wrong secret', async () => {
  expect(await runCheck({ CAMPUS_CLIENT_SECRET: 'expired' })).toEqual([
    redirect,
    answers,
    'FAIL: The provider refuses the client. Renew CAMPUS_CLIENT_SECRET, and check CAMPUS_CLIENT_ID.',
  ]);
});

test('reports a clock that differs by more than half a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });
  const [, clock] = await runCheck();
  vi.useRealTimers();
  expect(clock).toMatch(/^FAIL: The clocks of this machine and the provider differ by 1[12]\d seconds/u);
});
