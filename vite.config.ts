import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Matches the text of a warning in React Router's code: a string literal, a constant, or a call that builds the text. */
const routerMessage = /(?:`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*"|\w+(?:\([^()]*\))?)/u.source;

/**
 * Lets the bundler remove unused components of React Router. Their `displayName` assignments, and calls without a purity annotation,
 * would keep them in every page. Also removes the texts of its warnings and invariants: they describe mistakes of developers, who see
 * them in development (docs/decisions/0006-first-page-size.md). Its default error page is never shown, because the root route has one.
 */
const unusedRouterParts: Plugin = {
  name: 'unused-router-parts',
  apply: 'build',
  transform: {
    filter: { id: /react-router[\\/]dist/u },
    handler: (code) => ({
      code: code
        .replaceAll(/^\w+\.displayName = ".*";$/gmu, '')
        .replaceAll(new RegExp(`\\binvariant\\((.*), ${routerMessage}\\);$`, 'gmu'), 'invariant($1);')
        .replaceAll(new RegExp(`(?<!function )\\bwarn(?:ing)?(?:Once)?\\(.*, ${routerMessage}\\);$`, 'gmu'), 'void 0;')
        .replaceAll(/\berrorMessage = (?:`(?:\\`|[^`])*`|"[^"]*")/gu, 'errorMessage = ""')
        .replace(/^const defaultErrorElement = .*;$/mu, 'const defaultErrorElement = null;')
        .replaceAll(/= (React(?:\$\d+)?\.(?:forwardRef|createContext|memo)\()/gu, '= /* @__PURE__ */ $1'),
      map: null,
    }),
  },
};

/** Replaces the router's instrumentation by empty functions. Only its unused option `instrumentations` needs them. */
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
 * Removes Vite's preload helper from dynamic imports. It preloads styles and scripts of lazy chunks, which is not needed here, and would
 * be part of every first page (styles: `web/platform/styles.ts`).
 */
const plainImports: Plugin = {
  name: 'plain-imports',
  apply: 'build',
  enforce: 'pre',
  load: {
    filter: { id: /vite\/preload-helper\.js$/u },
    handler: () => 'export const __vitePreload = (load) => load();',
  },
  renderChunk: (code) => ({
    code: code.replaceAll('__vitePreload(', '(').replaceAll(/,\s*__VITE_PRELOAD__\)/gu, ')()'),
    map: null,
  }),
};

/**
 * Removes Tailwind's fallback for browsers without `@property` (before Firefox 128 and Safari 16.4), because styles are inlined in every
 * page. The needed parts of the fallback are in `web/styles/main.css`. Also removes a variable that no utility reads.
 */
const noPropertyFallback: Plugin = {
  name: 'no-property-fallback',
  apply: 'build',
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type === 'asset' && file.fileName.endsWith('.css'))
        file.source = file.source
          .toString()
          .replace(/@layer properties\{@supports[^{]*\{[^{]*\{[^}]*\}\}\}/u, '')
          .replaceAll(/--tw-font-weight:\d+;|@property --tw-font-weight\{[^}]*\}/gu, '');
    }
  },
};

/** Build of `web/`. `scripts/build-pages.ts` runs it twice: for browsers, and for server-side rendering. */
export default defineConfig(({ command, isSsrBuild }) => ({
  // Leaves the connection to React's developer tools out of the build.
  define: command === 'build' ? { __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined' } : {},
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
        // The server adds preload tags to the page, and lazy chunks have no further imports.
        modulePreload: false,
        // Inlined assets would be downloaded again with every page.
        assetsInlineLimit: 0,
        rolldownOptions: {
          input: 'web/entry-client.tsx',
          // A page that uses only a constant of a contract must not load the schemas beside it. No code reads a property for its effect.
          treeshake: { manualPureFunctions: ['z', 'defineEndpoints', 'line', 'prose'], propertyReadSideEffects: false },
          // Few large chunks: small ones compress badly, and each needs a request.
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
                // Tiny modules that most pages other than the dashboard use.
                {
                  name: 'common',
                  test: /contract[\\/](?:terms|durations)|ui[\\/](?:day|loader)|domain[\\/](?:guards|messages)/u,
                  priority: 1,
                },
                // Tiny modules that few pages use.
                {
                  name: 'rare',
                  test: /platform[\\/]use-(?:focus-later|hydrated|pages)/u,
                  priority: 1,
                },
                {
                  name: 'core',
                  test: /web[\\/](?:entry-client|app[\\/](?!logout-modal|background|token-sync)|domain[\\/](?!theme|messages|passkeys|password-|change-email|undelivered|profile-form|pictures|drafts|restored-draft|leave-guard|kept-code|guards|report|second-factor)|platform[\\/](?!unsaved|use-(?:focus-later|hydrated|pages))|features[\\/]\w+[\\/](?:routes|loader|filters)\.ts|ui[\\/](?:avatar|button|icon|logo|toasts\.ts|fetch-failure|use-lazy-component))|contract[\\/](?:call|filter-limits|ids|page-sizes)/u,
                  priority: 2,
                },
              ],
            },
          },
        },
      },
  // Bundles React's production build into one file, independent of NODE_ENV of the server.
  ssr: { noExternal: isSsrBuild ? true : [] },
}));
