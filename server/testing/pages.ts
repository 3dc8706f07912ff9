import type { RenderPage } from '#contract/page.ts';
import type { Web } from '../app.ts';

// Not by a literal: the server knows the browser's side as a build, and the walls see to that.
const entry = '../../web/entry-server.tsx';

/** The real pages, as their source is. */
export const { render: drawPage } = (await import(entry)) as { render: RenderPage };

/** The real pages for a test's archive, without files. @param render draws them; a test may get in the way */
export const pagesFor = (render: RenderPage = drawPage): Web => ({
  pages: {
    render: async () => render,
    assets: () => ({ head: () => '', entry: '/entry.js', listScripts: () => [] }),
    policy: { connect: '', worker: '' },
  },
  files: null,
});
