import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';

/**
 * Starts a proxy that serves the same web application as a plain single-page application: an HTML shell without content
 * and data, with the same styles and scripts. All other requests are forwarded.
 * @param target URL of the server
 */
export async function startSinglePageServer(target: string): Promise<{ url: string; stop(): void }> {
  const proxy = createServer((incoming, outgoing) => {
    const isPage = incoming.headers.accept?.includes('text/html');
    const headers = { ...incoming.headers, ...(isPage && { 'accept-encoding': 'identity' }) };
    const forwarded = request(`${target}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      const { statusCode = 502 } = answer;
      if (!isPage || !answer.headers['content-type']?.startsWith('text/html')) {
        outgoing.writeHead(statusCode, answer.headers);
        answer.pipe(outgoing);
        return;
      }
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const { 'content-length': _, 'transfer-encoding': __, ...kept } = answer.headers;
        const shell = brotliCompressSync(toShell(Buffer.concat(parts).toString()), {
          params: { [constants.BROTLI_PARAM_QUALITY]: 5 },
        });
        outgoing.writeHead(statusCode, { ...kept, 'content-encoding': 'br', 'content-length': shell.length });
        outgoing.end(shell);
      });
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, 'localhost', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    stop: () => {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}

/** Removes content and data from a page, so that the scripts request both. @throws Error if the page has neither */
function toShell(html: string): string {
  const shell = html
    .replace(/<div id="root">.*?(?=<script type="application\/json")/su, '<div id="root"></div>')
    .replace(/(<script type="application\/json"[^>]*>).*?(?=<\/script>)/su, '$1{"loaderData":{}}');
  if (!shell.includes('<div id="root"></div>') || !shell.includes('{"loaderData":{}}'))
    throw new Error('The page has no content or no data to remove.');
  return shell;
}
