import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { createQueue } from './queue.ts';

export interface Passwords {
  /** @returns a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash` */
  hash(password: string): Promise<string>;
  /** Null stands for an account that does not exist: it takes as long as one that does, and is always false. */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** The OWASP Password Storage Cheat Sheet's minimum for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const tagLength = 32;

const derive = promisify(argon2);

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/u;

/** NFKC, so that the same password typed on another keyboard is the same password (NIST SP 800-63B, 3.1.1.2). */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFKC'));

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/**
 * Hashing with Node's own argon2id. It leaves one core to readers, so a storm of sign-ins does not slow the directory.
 * @param processes how many of this server share the cores
 */
export function createPasswords(processes = 1): Passwords {
  const atOnce = Math.max(1, Math.floor((availableParallelism() - 1) / processes));
  const queue = createQueue({ atOnce, waiting: 64 });
  // Nobody's password: random bytes that are thrown away.
  const nobody = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(randomBytes(16))}$${encode(randomBytes(tagLength))}`;
  return {
    hash: (password) =>
      queue(async () => {
        const nonce = randomBytes(16);
        const tag = await derive('argon2id', { message: bytesOf(password), nonce, tagLength, ...cost });
        return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`;
      }),
    verify: (password, hash) =>
      queue(async () => {
        const [, memory, passes, parallelism, salt, tag] = phc.exec(hash ?? '') ?? phc.exec(nobody) ?? [];
        const expected = Buffer.from(tag ?? '', 'base64');
        const actual = await derive('argon2id', {
          message: bytesOf(password),
          nonce: Buffer.from(salt ?? '', 'base64'),
          tagLength: expected.length,
          memory: Number(memory),
          passes: Number(passes),
          parallelism: Number(parallelism),
        });
        return timingSafeEqual(actual, expected) && hash !== null;
      }),
  };
}
