import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { RenderPage } from '#contract/page.ts';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { renderPage, createTestWeb } from '#server/testing/pages.ts';

/* The pages as the server renders them, for requests that no user makes in a browser. User journeys are in `e2e/`. */

let render: RenderPage = renderPage;
let archive: TestArchive;
let development: TestArchive;
beforeAll(async () => {
  const web = createTestWeb((page) => render(page));
  archive = await openArchive(inject('databases'), { NODE_ENV: 'production' }, web);
  development = await openArchive(inject('databases'), {}, web);
});
afterAll(async () => {
  await archive.close();
  await development.close();
});

const heading = 'Unexpected Application Error!';

async function withCall<Result>(instead: (name: string) => unknown, work: () => Promise<Result>): Promise<Result> {
  render = (page) =>
    renderPage({
      ...page,
      call: (async (...args: Parameters<typeof page.call>) =>
        instead(args[0]) ?? page.call(...args)) as typeof page.call,
    });
  try {
    return await work();
  } finally {
    render = renderPage;
  }
}

const findLogLines = (part: string) => archive.logged.filter((line) => line.includes(part));

describe('with an invalid address', () => {
  test.each([
    '/user/newest',
    '/user/count',
    '/user/facets',
    '/user/years',
    '/user/1',
    '/user/..%2fcount',
    '/user/%zz',
    '/user/%ff?from=%',
  ])('GET %s returns the same 404 as for an unknown profile', async (path) => {
    const response = await archive.openDevice().fetch('GET', path);
    expect(response.statusCode).toBe(404);
    expect(response.body).toContain('Page not found');
  });

  test.each([`/gallery?album=${'x'.repeat(400)}`, '/gallery?album=%00'])(
    'GET %s returns the same 404 as for an unknown album',
    async (path) => {
      const response = await archive.openDevice().fetch('GET', path);
      expect(response.statusCode).toBe(404);
      expect(response.body).toContain('Page not found');
    },
  );

  for (const [target, tags = []] of [
    ['//'],
    ['//['],
    ['/\\x'],
    ['//evil.example/x', ['asvs-1.1.1', 'asvs-1.3.6']],
    ['/%zz'],
    ['/%E0%A4%A'],
    ['http://evil.example/'],
    ['/user/x?y=%'],
    ['/user/%00'],
  ] as [string, string[]?][])
    test(`GET ${target} returns 400 or 404 without logging an error`, { tags }, async () => {
      if (!archive.app.server.listening) await archive.app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = archive.app.server.address() as AddressInfo;
      const before = findLogLines('"level":50').length;
      const socket = connect(port, '127.0.0.1');
      socket.end(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 40[04] /u);
      expect(findLogLines('"level":50')).toHaveLength(before);
    });
});

describe('the page for unexpected errors', () => {
  const failSession = (name: string) => {
    if (name === 'GET /api/identity/session') throw new TypeError('Out of chalk');
  };

  test(
    'shows the message and the stack trace of the error, and the reference of the log line',
    { tags: ['spec-8.21', 'spec-8.22'] },
    async () => {
      const { device } = await development.createMember();
      const ofLoader = await withCall(failSession, () => device.fetch('GET', '/settings'));
      await development.pool.query('alter table sessions rename to sessions_away');
      const ofCall = await device.fetch('GET', '/settings');
      await development.pool.query('alter table sessions_away rename to sessions');
      render = async () => {
        throw new Error('Out of <chalk>');
      };
      const ofBuild = await device.fetch('GET', '/');
      render = renderPage;
      for (const [{ statusCode, body }, message] of [
        [ofLoader, 'Out of chalk'],
        [ofCall, 'relation &quot;sessions&quot; does not exist'],
        [ofBuild, 'Out of &#60;chalk&#62;'],
      ] as const) {
        expect(statusCode).toBe(500);
        expect(body).toContain(`${heading}</h1>`);
        const [, reference = ''] = /\(reference ([\w-]{10})\)/u.exec(body) ?? [];
        expect(development.logged.filter((line) => line.includes(reference)).length).toBeGreaterThan(0);
        expect(body).toContain(message);
        expect(body).toMatch(/<pre[^>]*>[^<]*\n    at /u);
      }
    },
  );

  test('shows no stack trace to a browser in production', { tags: ['spec-8.22', 'asvs-13.4.2'] }, async () => {
    const { device } = await archive.createMember();
    const response = await withCall(failSession, () => device.fetch('GET', '/settings'));
    expect(response.statusCode).toBe(500);
    expect(response.body).toContain(heading);
    expect(response.body).not.toMatch(/Out of chalk|<pre|\n    at |showsStackTraces/u);
  });

  test(
    'shows the reference of the only log line when a loader fails',
    { tags: ['spec-8.21', 'spec-8.22', 'asvs-16.3.4'] },
    async () => {
      const member = await archive.createMember();
      const response = await withCall(
        (name) => {
          if (name === 'GET /api/identity/session')
            throw new TypeError(`no code ${'x'.repeat(43)} of ada@mail.example`);
        },
        () => member.device.fetch('GET', '/settings'),
      );
      expect(response.statusCode).toBe(500);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.body).toContain(heading);
      const [, reference = ''] = /\(reference ([\w-]{10})\)/u.exec(response.body) ?? [];
      expect(findLogLines(reference)).toEqual([expect.stringContaining('TypeError')]);
      expect(response.body + findLogLines(reference).join('')).not.toMatch(/ada@mail|x{43}/u);
    },
  );

  test('shows the reference of the API’s log line when a call fails', async () => {
    const member = await archive.createMember();
    const before = findLogLines('unexpected error').length;
    await archive.pool.query('alter table sessions rename to sessions_away');
    const response = await member.device.fetch('GET', '/settings');
    await archive.pool.query('alter table sessions_away rename to sessions');
    expect(response.statusCode).toBe(500);
    expect(response.body).toContain(heading);
    const [, reference = ''] = /\(reference ([\w-]{10})\)/u.exec(response.body) ?? [];
    expect(findLogLines(reference)).toHaveLength(1);
    expect(findLogLines('unexpected error')).toHaveLength(before + 1);
  });

  test('is returned when rendering fails', async () => {
    const { uid } = await archive.createMember();
    const response = await withCall(
      (name) => (name === 'GET /api/users/{id}' ? {} : undefined),
      () => archive.openDevice().fetch('GET', `/user/${uid}`),
    );
    expect(response.statusCode).toBe(500);
    expect(response.body).toContain(heading);
    const [, reference = ''] = /\(reference ([\w-]{10})\)/u.exec(response.body) ?? [];
    // Rendering fails twice: for the content, and for the title.
    const lines = findLogLines(reference);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain('TypeError');
  });

  test('is returned with 503 during an outage', { tags: ['spec-8.23', 'asvs-16.5.2'] }, async () => {
    const member = await archive.createMember();
    const problem = { status: 503, code: 'unavailable', title: 'Unavailable' };
    const response = await withCall(
      (name) => {
        if (name === 'GET /api/identity/session') throw Object.assign(new Error('away'), { problem });
      },
      () => member.device.fetch('GET', '/settings'),
    );
    expect(response.statusCode).toBe(503);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.body).toContain('This page cannot be shown right now');
    expect(response.body).toContain('TRY AGAIN');
  });

  test(
    'is not shown for a list, a profile or settings that fail to load, but the specified message with a retry button',
    { tags: ['spec-8.14', 'spec-8.15', 'spec-8.16'] },
    async () => {
      const member = await archive.createMember();
      const problem = { status: 503, code: 'unavailable', title: 'Unavailable' };
      const failing = new Set(['GET /api/users', 'GET /api/users/{id}', 'GET /api/users/{id}/document']);
      const open = (device: Device, path: string) =>
        withCall(
          (name) => {
            if (failing.has(name)) throw Object.assign(new Error('away'), { problem });
          },
          () => device.fetch('GET', path),
        );
      for (const device of [archive.openDevice(), member.device])
        for (const path of ['/', `/user/${member.uid}`]) {
          const { body } = await open(device, path);
          expect(body, path).toContain('>ERROR: Failed to fetch data<');
          expect(body, path).toContain('TRY AGAIN');
          expect(body, path).not.toContain(heading);
        }
      expect((await open(member.device, '/myprofile')).body).toMatch(/>ERROR: Failed to fetch data<.*TRY AGAIN/su);
      const { body } = await open(member.device, '/settings');
      expect(body.replaceAll('<!-- -->', '')).toContain('>ERROR::unavailable<');
      expect(body).toContain('TRY AGAIN');
    },
  );

  test('is plain HTML when the error page cannot be rendered either', async () => {
    render = async () => {
      throw new Error('The build is broken.');
    };
    const response = await archive.openDevice().fetch('GET', '/');
    render = renderPage;
    expect(response.statusCode).toBe(500);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.body).toContain(`<h1>${heading}</h1>`);
    const [, reference = ''] = /\(reference ([\w-]{10})\)/u.exec(response.body) ?? [];
    expect(findLogLines(reference)).toEqual([expect.stringContaining('The build is broken.')]);
  });
});

test('an empty search shows the 24 largest departments, and the others on request', async () => {
  const { device } = await archive.createMember({ department: 'Department 0' });
  for (let number = 1; number < 30; number++) await archive.createMember({ department: `Department ${number}` });
  const { body } = await device.fetch('GET', '/search');
  const [before = '', after = ''] = body.replaceAll('<!-- -->', '').split(/Show \d+ more/u);
  const count = (html: string) => (html.match(/href="\/\?department=(?!all)/gu) ?? []).length;
  expect(count(before)).toBe(24);
  expect(count(after)).toBeGreaterThanOrEqual(6);
});

test('a page that is being rendered at shutdown is served with its data', async () => {
  const opened = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  render = async (input) => {
    asked.resolve();
    await opened.promise;
    return renderPage(input);
  };
  if (!archive.app.server.listening) await archive.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = archive.app.server.address() as AddressInfo;
  const page = fetch(`http://127.0.0.1:${port}/`);
  await asked.promise;
  const ended = archive.context.shutdown.drain();
  await expect.poll(() => archive.app.server.listening).toBe(false);
  opened.resolve();
  const response = await page;
  render = renderPage;
  expect(response.status).toBe(200);
  expect(response.headers.get('connection')).toBe('close');
  expect(await response.text()).toContain('Dashboard');
  await ended;
});
