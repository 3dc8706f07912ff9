import { createServer } from 'vite';
import { runUntilSignal } from '#server/main.ts';
import { brandOf } from '#server/startup/built-web.ts';
import type { RenderPage } from '#contract/page.ts';

/** What React's plugin needs on a page that Vite does not serve itself. */
const refresh =
  'import { injectIntoGlobalHook } from "/@react-refresh"; injectIntoGlobalHook(window); window.$RefreshReg$ = () => {}; window.$RefreshSig$ = () => (type) => type;';

/**
 * Reload on both sides: Vite renews the browser's part in place, and `node --watch`, which runs this, starts the server
 * again when its part changes; the page then loads itself anew.
 */
await runUntilSignal({
  loadWeb: async ({ institution }) => {
    const vite = await createServer({
      server: { middlewareMode: true },
      // Read by Node itself: the file that Vite would bundle it into is new each time, and `--watch` would see a change.
      configLoader: 'native',
      logLevel: 'warn',
    });
    return {
      files: null,
      middleware: vite.middlewares,
      pages: {
        render: async () => ((await vite.ssrLoadModule('/web/entry-server.tsx')) as { render: RenderPage }).render,
        // Vite's client asks for the server from a worker while it is away.
        policy: { connect: ' ws:', worker: ' blob:' },
        assets: () => ({
          head: (nonce) =>
            `<style nonce="${nonce}">${brandOf(institution)}</style><link rel="stylesheet" href="/web/styles/main.css">` +
            `<meta property="csp-nonce" nonce="${nonce}"><script type="module" nonce="${nonce}">${refresh}</script>` +
            '<script type="module" src="/@vite/client"></script>',
          entry: '/web/entry-client.tsx',
          listScripts: () => [],
        }),
      },
    };
  },
});
