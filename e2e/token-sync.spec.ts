import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, logOut, signIn, test } from './fixtures.ts';

/** Another site of the university, on another origin: what browsers have told it. */
interface Portal {
  readonly origin: string;
  readonly told: { method: string; authorization: string | undefined }[];
  isAway: boolean;
  close(): void;
}

async function openPortal(allowed: () => string): Promise<Portal> {
  const told: Portal['told'] = [];
  const server: Server = createServer((request: IncomingMessage, response) => {
    response.setHeader('access-control-allow-origin', allowed());
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader('access-control-allow-methods', 'POST, DELETE');
    // The second one is what the tests tell visitors apart by.
    response.setHeader('access-control-allow-headers', 'authorization, x-forwarded-for');
    if (request.method !== 'OPTIONS') {
      if (portal.isAway) response.statusCode = 503;
      else told.push({ method: request.method ?? '', authorization: request.headers.authorization });
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const portal: Portal = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    told,
    isAway: false,
    close: () => void server.close(),
  };
  return portal;
}

test(
  'the other site hears of a sign-in once, and of the sign-out',
  { tag: ['@spec-7.19', '@spec-7.20', '@spec-7.21', '@asvs-14.2.3'] },
  async ({ server, page }) => {
    test.slow();
    let own = '';
    const portal = await openPortal(() => own);
    const beside = await server.startSecondServer({
      AUTH_TOKEN_SYNC_URL: `${portal.origin}/session`,
      AUTH_TOKEN_SYNC_ALLOW: portal.origin,
    });
    own = beside.url;
    // Each tab says that it is over, and a page that is left before it was answered says it again: it changes nothing.
    const methods = () =>
      portal.told.map(({ method }) => method).filter((method, at, all) => method === 'POST' || method !== all[at - 1]);
    try {
      await page.goto(`${beside.url}/login`);
      await signIn(page, undefined, undefined, beside.url);
      await expect.poll(methods).toEqual(['POST']);
      const token = portal.told[0]?.authorization?.replace('Bearer ', '') ?? '';
      const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', beside.url));
      const { payload } = await jwtVerify(token, keys, { audience: portal.origin, issuer: beside.url });
      expect(payload['email']).toBe('demo@alumni.example');

      await page.reload();
      const tab = await page.context().newPage();
      await tab.goto(`${beside.url}/gallery`);
      await expect(tab.getByRole('link', { name: /^Notifications/u })).toBeVisible();
      portal.isAway = true;
      await logOut(page, beside.url);
      await tab.close();
      expect(methods()).toEqual(['POST']);

      // It was away: the next page tries again.
      portal.isAway = false;
      await page.goto(`${beside.url}/home`);
      await expect.poll(methods).toEqual(['POST', 'DELETE']);
      expect(portal.told[1]?.authorization).toBeUndefined();
      await signIn(page, undefined, undefined, beside.url);
      await expect.poll(methods).toEqual(['POST', 'DELETE', 'POST']);
    } finally {
      await beside.stop();
      portal.close();
    }
  },
);
