import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { openArchive } from '#server/testing/archive.ts';
import { renderMailSamples } from './mail-samples-page.ts';

const root = join(import.meta.dirname, '..');

test('the mail samples contain each mail of the product', () => {
  const samples = readFileSync(join(root, 'scripts', 'mail-samples.ts'), 'utf8');
  const mails = globSync('server/features/**/*mails.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/(?:const|function) (compose\w+)/gu)].map(
      ([, name = '']) => name,
    ),
  );
  expect(mails.length).toBeGreaterThan(25);
  expect(mails.filter((name) => !new RegExp(String.raw`\b${name}\(`, 'u').test(samples))).toEqual([]);
});

test('the page of the mail samples shows HTML in both themes, and text', async () => {
  const archive = await openArchive(inject('databases'));
  const page = renderMailSamples(createMailBranding(archive.context));
  await archive.close();
  const count = page.split('<section>').length - 1;
  expect(count).toBeGreaterThan(40);
  for (const part of ['title="light"', 'title="dark"', '<pre>']) expect(page.split(part).length - 1, part).toBe(count);
  expect(page).toContain('@media all');
});

test.each(['development', 'production'])(
  'the server does not serve the mail samples with NODE_ENV=%s',
  async (mode) => {
    const archive = await openArchive(inject('databases'), {
      NODE_ENV: mode,
      PUBLIC_URL: 'http://localhost:3000',
      SMTP_URL: mode === 'production' ? 'smtp://mail.example' : '',
    });
    const { statusCode } = await archive.openDevice().fetch('GET', '/dev/mail-samples', undefined, {
      host: 'localhost:3000',
    });
    await archive.close();
    expect(statusCode).toBe(404);
  },
);
