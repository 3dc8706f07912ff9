import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Lets the bundler drop components of React Router that nothing imports: their names for the developer tools, and calls
 * that it cannot know to be free of effects, keep them in every page (docs/decisions/0006-first-page-size.md).
 */
const unusedRouterParts: Plugin = {
  name: 'unused-router-parts',
  apply: 'build',
  transform: {
    filter: { id: /react-router[\\/]dist/u },
    handler: (code) => ({
      code: code
        .replaceAll(/^\w+\.displayName = ".*";$/gmu, '')
        .replaceAll(/= (React(?:\$\d+)?\.(?:forwardRef|createContext|memo)\()/gu, '= /* @__PURE__ */ $1'),
      map: null,
    }),
  },
};

/** Replaces the router's instrumentation, which only its unused option `instrumentations` needs, by empty functions. */
const noRouterInstrumentation: Plugin = {
  name: 'no-router-instrumentation',
  apply: 'build',
  enforce: 'pre',
  load: {
    filter: { id: /react-router[\\/]dist[\\/].*[\\/]router[\\/]instrumentation\.js$/u },
    handler: () => `
      export const consumeInstrumentationClientResultMetaReceiver = () => undefined;
      export const getRouteInstrumentationUpdates = () => ({});
      export const instrumentClientSideRouter = (router) => router;
      export const instrumentHandler = (handler) => handler;
      export const instrumentationResultMetaContext = {};`,
  },
};

/**
 * A lazily loaded part is simply loaded: nothing of ours needs Vite's helper, which looks for styles and further scripts
 * to fetch beforehand and is in every first page (styles: `web/platform/styles.ts`).
 */
const plainImports: Plugin = {
  name: 'plain-imports',
  apply: 'build',
  enforce: 'pre',
  load: {
    filter: { id: /vite\/preload-helper\.js$/u },
    handler: () => 'export const __vitePreload = (load) => load();',
  },
};

/**
 * Drops Tailwind's fallback for browsers without `@property` (before Firefox 128 and Safari 16.4): the styles are in every
 * page. What such a browser needs of it is in `web/styles/main.css`.
 */
const noPropertyFallback: Plugin = {
  name: 'no-property-fallback',
  apply: 'build',
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = file.source.toString().replace(/@layer properties\{@supports[^{]*\{[^{]*\{[^}]*\}\}\}/u, '');
    }
  },
};

/** The browser's side. `scripts/build-pages.ts` builds it twice: for browsers, and as the server's renderer. */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwindcss(), unusedRouterParts, noRouterInstrumentation, plainImports, noPropertyFallback],
  appType: 'custom',
  publicDir: 'web/public',
  build: isSsrBuild
    ? {
        outDir: 'dist/server',
        copyPublicDir: false,
        rolldownOptions: { input: 'web/entry-server.tsx' },
      }
    : {
        outDir: 'dist/web',
        manifest: true,
        // The server names the scripts of a page in the page itself; what is loaded later has no further parts.
        modulePreload: false,
        // Every byte is paid for: nothing is put into a page twice.
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: 'web/entry-client.tsx',
          // Few chunks that belong together: many small ones compress badly, and each is a request.
          output: {
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  test: /rolldown[\\/]runtime|node_modules[\\/](?:react|react-dom|scheduler|react-router|@remix-run|cookie-es)[\\/]/u,
                  priority: 3,
                },
                {
                  name: 'forms',
                  test: /node_modules[\\/](?:react-hook-form|@hookform|@standard-schema|zod)[\\/]|contract[\\/]fields|ui[\\/](?:field|password-field|use-schema-form|after-click)/u,
                  priority: 1,
                },
                // Both are a line each, and mostly wanted together.
                { name: 'day', test: /contract[\\/]terms|ui[\\/]day/u, priority: 1 },
                {
                  name: 'core',
                  test: /web[\\/](?:entry-client|app[\\/](?!logout-modal|background|token-sync)|domain[\\/](?!messages|passkeys|password-|change-email|undelivered|profile-form|pictures|drafts|restored-draft|leave-guard)|platform[\\/](?!unsaved)|features[\\/]\w+[\\/](?:routes|loader|filters)\.ts|ui[\\/](?:avatar|button|icon|logo|toasts\.ts|fetch-failure|use-lazy-component))|contract[\\/](?:call|filter-limits|ids|page-sizes)/u,
                  priority: 2,
                },
              ],
            },
          },
        },
      },
  // One file with React in its production form, whatever the environment of the server says.
  ssr: { noExternal: isSsrBuild ? true : [] },
}));
