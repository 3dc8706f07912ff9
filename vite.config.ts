import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Rolldown } from 'vite';

/**
 * Names the chunk of everything that the first script imports statically. Pages import from it instead of from many
 * small chunks.
 */
function firstChunk(id: string, context: Rolldown.ChunkingContext): string | null {
  const isFirst = (importer: string, seen = new Set<string>()): boolean => {
    if (seen.has(importer)) return false;
    seen.add(importer);
    return (
      importer.endsWith('web/entry-client.tsx') ||
      (context.getModuleInfo(importer)?.importers.some((next) => isFirst(next, seen)) ?? false)
    );
  };
  return isFirst(id) ? 'first' : null;
}

/** Build of `web/`. `scripts/build-pages.ts` runs it twice: for browsers, and for server-side rendering. */
export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwindcss()],
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
          // The server inlines the styles, so no module imports them: a lazy chunk would load them again, after those
          // of all pages.
          input: ['web/entry-client.tsx', 'web/early-clicks.ts', 'web/styles/main.css'],
          // A page that uses only a constant of a contract must not load the schemas beside it. No code reads a
          // property for its effect.
          treeshake: { manualPureFunctions: ['z', 'defineEndpoints', 'line', 'prose'], propertyReadSideEffects: false },
          // Few large chunks: small ones compress badly, and each needs a request.
          output: {
            codeSplitting: {
              groups: [
                {
                  name: 'framework',
                  test: /node_modules[\\/](?:react|react-dom|react-router|scheduler)[\\/]/u,
                  priority: 3,
                },
                { name: firstChunk, debugName: 'first', test: /[\\/](?:web|contract)[\\/]/u, priority: 2 },
                {
                  name: 'forms',
                  test: /[\\/]zod[\\/]|ui[\\/]use-form|platform[\\/]form\.|domain[\\/]define-form|contract[\\/]fields/u,
                  priority: 1,
                },
                // The forms of profiles and photos.
                { name: 'profile-forms', test: /react-hook-form|@hookform|ui[\\/]use-schema-form/u, priority: 1 },
                // What the pages of careers, classes and the search share.
                { name: 'careers', test: /domain[\\/](?:career-row|careers\.)|country-name/u, priority: 1 },
                // Small modules that most pages need.
                { name: 'common', test: /domain[\\/](?:guards|messages)|ui[\\/](?:day|dialog|loader)/u, priority: 1 },
              ],
            },
          },
        },
      },
  // Bundles React's production build only, regardless of the server's NODE_ENV.
  ssr: { noExternal: isSsrBuild ? true : [] },
  ...(isSsrBuild && { define: { 'process.env.NODE_ENV': '"production"' } }),
}));
