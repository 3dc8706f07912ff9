import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { isFirebaseHash, readFirebaseKeys, verifyFirebaseHash } from './firebase-scrypt.ts';
import { type Urgency, createWorkQueue } from '../limits/work-queue.ts';

export interface PasswordHasher {
  /** @returns a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash` */
  hash(password: string, options?: Urgency): Promise<string>;
  /** Returns whether a password matches a hash. For null (no such account), takes the same time and returns false. */
  verify(password: string, hash: string | null, options?: Urgency): Promise<boolean>;
  /** Returns whether a hash was imported. Such a hash is replaced at the next sign-in. */
  isOutdated(hash: string): boolean;
}

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

/** Normalizes to NFKC, so that different keyboards produce the same password (NIST SP 800-63B, 3.1.1.2). */
const bytesOf = (password: string) => Buffer.from(password.normalize('NFKC'));

const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/**
 * Creates a password hasher that uses Node's argon2id. It leaves one core free, so that many sign-ins do not slow down
 * other requests.
 * When the data folder has keys for imported passwords, every check also computes the imported format. Otherwise
 * response times would reveal which accounts were imported (decision 20).
 * @param processes number of server processes that share the cores
 * @param dataDir the folder with the keys of imported passwords, or null
 * @param cost the cost of new hashes
 */
export function createPasswordHasher(
  processes = 1,
  dataDir: string | null = null,
  cost: HashCost = owaspCost,
): PasswordHasher {
  const maxConcurrent = Math.max(1, Math.floor((availableParallelism() - 1) / processes));
  const queue = createWorkQueue({ maxConcurrent, maxWaiting: 64 });
  // A hash of no password, for accounts that do not exist.
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
