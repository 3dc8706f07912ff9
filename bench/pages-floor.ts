import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Call, toWireRequest } from '#contract/call.ts';
import type { RenderPage } from '#contract/page.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { loadBuiltWeb } from '#server/startup/built-web.ts';

/*
 * Baseline for pages. `/constant?bytes=N` sends a constant body. `/rendered/PATH` renders the page of the server at
 * SERVER_URL with the data of its first request, and sends it without compression: the part of a page that is only
 * React.
 */

const { PORT, SERVER_URL = '' } = process.env;
const root = join(import.meta.dirname, '..');
const institution = readInstitution(join(root, 'institution.json'));
const web = loadBuiltWeb(join(root, 'dist'), institution);
if (!web) throw new Error('The pages have not been built.');
const { render, assets } = web.pages;

const readyData = new Map<string, unknown>();

async function renderReady(path: string, { headers: { cookie = '' } }: IncomingMessage): Promise<string> {
  const call = async (...[name, input]: [name: Parameters<Call>[0], input?: object]) => {
    const { url } = toWireRequest(name, input);
    const key = `${cookie} ${url}`;
    if (!readyData.has(key)) readyData.set(key, await (await fetch(SERVER_URL + url, { headers: { cookie } })).json());
    return readyData.get(key);
  };
  const input: Parameters<RenderPage>[0] = {
    request: new Request(SERVER_URL + path, { headers: { cookie } }),
    call: call as Call,
    assets: assets(),
    institution: { name: institution.name, abbreviation: institution.abbreviation },
    reportError: (error) => {
      throw error;
    },
  };
  const rendered = await (await render())(input);
  if (rendered.kind !== 'page' || rendered.status !== 200) throw new Error(`${path} returned ${rendered.status}.`);
  return rendered.html;
}

createServer((request, response) => {
  const { pathname, search, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const send = (status: number, body: string | Buffer) =>
    response
      .writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'content-length': Buffer.byteLength(body) })
      .end(body);
  if (pathname === '/constant') send(200, createBody(Number(searchParams.get('bytes'))));
  else if (!pathname.startsWith('/rendered/')) send(404, '');
  else
    renderReady(pathname.slice('/rendered'.length) + search, request).then(
      (html) => send(200, html),
      (error: unknown) => send(500, String(error)),
    );
}).listen(Number(PORT), '127.0.0.1');

const bodies = new Map<number, Buffer>();

function createBody(bytes: number): Buffer {
  const body = bodies.get(bytes) ?? Buffer.alloc(bytes, 'x');
  bodies.set(bytes, body);
  return body;
}
