import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router';
import { expect, test } from 'vitest';
import { rootId } from '#web/domain/root-data.ts';
import { RootError } from './root-error.tsx';

async function renderError(error: Error, institution: object): Promise<string> {
  const fail = () => {
    throw error;
  };
  const handler = createStaticHandler([
    {
      path: '/',
      id: rootId,
      loader: () => ({ institution }),
      Component: () => null,
      ErrorBoundary: RootError,
      children: [{ index: true, loader: fail, Component: () => null }],
    },
  ]);
  const context = await handler.query(new Request('http://localhost/'));
  if (context instanceof Response) throw new Error('Expected a page, got a response.');
  return renderToString(
    createElement(StaticRouterProvider, {
      router: createStaticRouter(handler.dataRoutes, context),
      context,
      hydrate: false,
    }),
  );
}

test(
  'RootError shows the heading and the message, and the stack unless the server runs in production',
  { tags: ['spec-8.22', 'asvs-16.5.1'] },
  async () => {
    const message = 'Out of chalk '.repeat(30).trim();
    const error = new Error(message);
    for (const institution of [{ showsStackTraces: true }, {}]) {
      const html = await renderError(error, institution);
      expect(html).toContain('>Unexpected Application Error!</h1>');
      expect(html).toContain(`>${message}</p>`);
      const hasStack = 'showsStackTraces' in institution;
      expect(html.includes('<pre')).toBe(hasStack);
      expect(html.includes('root-error.test.ts')).toBe(hasStack);
    }
  },
);
