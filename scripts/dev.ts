import { createServer } from 'vite';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { runUntilSignal } from '#server/main.ts';
import { brandOf } from '#server/startup/built-web.ts';
import type { RenderPage } from '#contract/page.ts';
import { renderMailSamples } from './mail-samples-page.ts';

/** Script of React's Vite plugin for pages that Vite does not serve itself. */
const refresh =
  'import { injectIntoGlobalHook } from "/@react-refresh"; injectIntoGlobalHook(window); window.$RefreshReg$ = () => {}; window.$RefreshSig$ = () => (type) => type;';

/** Nonce for the scripts and styles that Vite adds to a page. A constant is sufficient for development. */
const nonce = 'vite';

/**
 * Starts the development server with reload on both sides. Vite updates browser code in place. `node --watch` restarts
 * the server after a change of server code, and the page reloads itself. `/dev/mail-samples` shows every mail of the
 * product.
 */
await runUntilSignal({
  loadWeb: async (context) => {
    const vite = await createServer({
      server: { middlewareMode: true },
      // Loaded by Node: Vite's bundled configuration file is new each time, and would trigger `--watch`.
      configLoader: 'native',
      logLevel: 'warn',
    });
    vite.middlewares.use('/dev/mail-samples', (_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(renderMailSamples(createMailBranding(context)));
    });
    return {
      files: null,
      middleware: vite.middlewares,
      pages: {
        render: async () => ((await vite.ssrLoadModule('/web/entry-server.tsx')) as { render: RenderPage }).render,
        policy: {
          script: ` 'nonce-${nonce}'`,
          style: ` 'nonce-${nonce}'`,
          connect: ' ws:',
          // Vite's client polls the server from a worker during a restart.
          worker: ' blob:',
        },
        assets: () => ({
          styles: brandOf(context.institution),
          allStyles: '',
          head:
            '<link rel="stylesheet" href="/web/styles/main.css"><link rel="stylesheet" href="/web/styles/all.css">' +
            '<script type="module" src="/web/early-clicks.ts"></script>' +
            `<meta property="csp-nonce" nonce="${nonce}"><script type="module" nonce="${nonce}">${refresh}</script>` +
            '<script type="module" src="/@vite/client"></script>',
          earlyScript: '',
          entry: '/web/entry-client.tsx',
          listScripts: () => [],
        }),
      },
    };
  },
});
