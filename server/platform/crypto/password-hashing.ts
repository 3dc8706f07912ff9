import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { isFirebaseHash, readFirebaseKeys, verifyFirebaseHash } from './firebase-scrypt.ts';
import { type Urgency, createWorkQueue } from '../limits/work-queue.ts';

export interface PasswordHasher {
  /** @returns a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash` */
  hash(password: string, options?: Urgency): Promise<string>;
  /** Null stands for an account that does not exist: it takes as long as one that does, and is always false. */
  verify(password: string, hash: string | null, options?: Urgency): Promise<boolean>;
  /** Whether a hash was brought over from elsewhere, and is to be made anew when its password is typed the next time. */
  isOutdated(hash: string): boolean;
}

/** The parameters of argon2id: KiB of memory, passes over it, lanes. */
export interface HashCost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** The OWASP Password Storage Cheat Sheet's minimum for argon2id: 19 MiB, two passes, one lane. */
const owaspCost: HashCost = { memory: 19_456, passes: 2, parallelism: 1 };
const tagBytes = 32;

const derive = promisify(argon2);

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/u;

/** NFKC, so that the same password typed on another keyboard is the same password (NIST SP 800-63B, 3.1.1.2). */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFKC'));

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/**
 * Hashing with Node's own argon2id. It leaves one core to readers, so a storm of sign-ins does not slow the directory.
 * While there are keys of passwords that were brought over, each check costs that method as well, whatever the account
 * has: otherwise the time of a wrong password would tell whose were (decision 20).
 * @param processes how many of this server share the cores
 * @param dataDir where those keys are; null where there are none
 * @param cost of new hashes; tests choose a lower one
 */
export function createPasswordHasher(
  processes = 1,
  dataDir: string | null = null,
  cost: HashCost = owaspCost,
): PasswordHasher {
  const maxConcurrent = Math.max(1, Math.floor((availableParallelism() - 1) / processes));
  const queue = createWorkQueue({ maxConcurrent, maxWaiting: 64 });
  // Nobody's password: random bytes that are thrown away.
  const dummyHash = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(randomBytes(16))}$${encode(randomBytes(tagBytes))}`;
  return {
    hash: (password, options) =>
      queue(async () => {
        const nonce = randomBytes(16);
        const tag = await derive('argon2id', { message: bytesOf(password), nonce, tagLength: tagBytes, ...cost });
        return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`;
      }, options),
    isOutdated: isFirebaseHash,
    verify: (password, hash, options) =>
      queue(async () => {
        const keys = dataDir === null ? new Map<never, never>() : await readFirebaseKeys(dataDir);
        const isImported = await verifyFirebaseHash(keys, password, hash);
        const [, memory, passes, parallelism, salt, tag] = phc.exec(hash ?? '') ?? phc.exec(dummyHash) ?? [];
        const expected = Buffer.from(tag ?? '', 'base64');
        const actual = await derive('argon2id', {
          message: bytesOf(password),
          nonce: Buffer.from(salt ?? '', 'base64'),
          tagLength: expected.length,
          memory: Number(memory),
          passes: Number(passes),
          parallelism: Number(parallelism),
        });
        return (timingSafeEqual(actual, expected) && hash !== null) || isImported;
      }, options),
  };
}
