import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { awayMessage } from './mail.ts';
import { createSmtpMailer } from './smtp.ts';

const attempt = { jobId: 'job', signal: new AbortController().signal };
const message = { to: 'ada@mail.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' };

test.each([
  ['that never greets', []],
  ['that falls silent after its greeting', ['220 mail.example ESMTP\r\n']],
  ['that falls silent in the middle', ['220 mail.example ESMTP\r\n', '250 mail.example\r\n']],
])('a mail server %s is given up', async (_, said) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const lines = [...said];
    const say = () => socket.write(lines.shift() ?? '');
    socket.on('data', say).on('error', () => undefined);
    say();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const mailer = createSmtpMailer(`smtp://127.0.0.1:${port}`, 'archive@mail.example', 150);
  try {
    await expect(mailer.send(message, attempt)).rejects.toThrow(`${awayMessage} (ETIMEDOUT).`);
    expect(await mailer.answers()).toBe(false);
  } finally {
    mailer.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});
