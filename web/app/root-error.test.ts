import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createStaticHandler, createStaticRouter, StaticRouterProvider } from 'react-router';
import { afterEach, expect, test, vi } from 'vitest';
import { RootError } from './root-error.tsx';

afterEach(() => vi.unstubAllEnvs());

/** Returns the HTML of the error page for a loader that throws. */
async function renderError(error: Error): Promise<string> {
  const fail = () => {
    throw error;
  };
  const handler = createStaticHandler([{ path: '/', loader: fail, Component: () => null, ErrorBoundary: RootError }]);
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
  'RootError shows the heading and the message, and the stack in development only',
  { tags: ['spec-8.22', 'asvs-16.5.1'] },
  async () => {
    const error = new Error('Out of chalk');
    for (const isDevelopment of [true, false]) {
      vi.stubEnv('DEV', isDevelopment);
      const html = await renderError(error);
      expect(html).toContain('>Unexpected Application Error!</h1>');
      expect(html).toContain('Out of chalk</p>');
      expect(html.includes('<pre')).toBe(isDevelopment);
      expect(html.includes('root-error.test.ts')).toBe(isDevelopment);
    }
  },
);
