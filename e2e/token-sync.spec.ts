import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { createVerifiedAccount, expect, holdRequests, logOut, signIn, test } from './fixtures.ts';

interface Portal {
  readonly origin: string;
  readonly requests: { method: string; authorization: string | undefined }[];
  isUnavailable: boolean;
  close(): void;
}

async function openPortal(allowed: () => string): Promise<Portal> {
  const told: Portal['requests'] = [];
  const server: Server = createServer((request: IncomingMessage, response) => {
    response.setHeader('access-control-allow-origin', allowed());
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('access-control-allow-methods', 'POST, DELETE');
    // The fixtures add `X-Forwarded-For` to every request.
    response.setHeader('access-control-allow-headers', 'authorization, x-forwarded-for');
    if (request.method !== 'OPTIONS') {
      if (portal.isUnavailable) response.statusCode = 503;
      else told.push({ method: request.method ?? '', authorization: request.headers.authorization });
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const portal: Portal = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    requests: told,
    isUnavailable: false,
    close: () => void server.close(),
  };
  return portal;
}

test(
  'the other site receives one token per sign-in and a request on sign-out',
  { tag: ['@spec-7.19', '@spec-7.20', '@spec-7.21', '@asvs-14.2.3'] },
  async ({ server, page }) => {
    test.slow();
    let own = '';
    const portal = await openPortal(() => own);
    const second = await server.startSecondServer({
      AUTH_TOKEN_SYNC_URL: `${portal.origin}/session`,
      AUTH_TOKEN_SYNC_ALLOW: portal.origin,
    });
    own = second.url;
    // Every tab sends a DELETE, and may repeat it if the page is left before the response. The request is idempotent.
    const methods = () =>
      portal.requests
        .map(({ method }) => method)
        .filter((method, at, all) => method === 'POST' || method !== all[at - 1]);
    try {
      await page.goto(`${second.url}/login`);
      await signIn(page, undefined, undefined, second.url);
      await expect.poll(methods).toEqual(['POST']);
      const token = portal.requests[0]?.authorization?.replace('Bearer ', '') ?? '';
      const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', second.url));
      const { payload } = await jwtVerify(token, keys, { audience: portal.origin, issuer: second.url });
      expect(payload['email']).toBe('demo@alumni.example');

      await page.reload();
      const tab = await page.context().newPage();
      await tab.goto(`${second.url}/gallery`);
      await expect(tab.getByRole('link', { name: /^Notifications/u })).toBeVisible();
      portal.isUnavailable = true;
      await logOut(page, second.url);
      await tab.close();
      expect(methods()).toEqual(['POST']);

      // The first request failed, so the next page tries again.
      portal.isUnavailable = false;
      await page.goto(`${second.url}/home`);
      await expect.poll(methods).toEqual(['POST', 'DELETE']);
      expect(portal.requests[1]?.authorization).toBeUndefined();
      await signIn(page, undefined, undefined, second.url);
      await expect.poll(methods).toEqual(['POST', 'DELETE', 'POST']);

      // An account without a profile is signed in as well.
      await createVerifiedAccount(page, server);
      // A token that arrives after its five minutes is not sent. The next page requests another one.
      await page.clock.install();
      const release = await holdRequests(page, '**/api/identity/token');
      const asked = page.waitForRequest('**/api/identity/token');
      await page.goto(`${second.url}/home`);
      await asked;
      await page.clock.fastForward(301_000);
      const late = page.waitForResponse('**/api/identity/token');
      release();
      await late;
      await page.evaluate(() => fetch('/healthz'));
      const again = page.waitForRequest('**/api/identity/token');
      await page.goto(`${second.url}/home`);
      await again;
      await expect.poll(methods).toEqual(['POST', 'DELETE', 'POST', 'POST']);
    } finally {
      await second.stop();
      portal.close();
    }
  },
);
