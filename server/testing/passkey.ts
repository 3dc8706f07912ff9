import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Assertion, CreationOptions, Registration, RequestOptions } from '#contract/second-factor.ts';

interface Faults {
  readonly origin?: string;
  readonly verified?: boolean;
  readonly counter?: number;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly attestation?: string;
}

const encode = (bytes: Buffer) => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();

/** A software authenticator with one passkey (ES256), following WebAuthn, section 6. */
export class SoftPasskey {
  readonly id = encode(randomBytes(32));
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #origin: string;
  #userHandle = '';
  #counter = 0;

  constructor(origin = 'http://localhost:3000') {
    this.#origin = origin;
  }

  create(options: CreationOptions, faults: Faults = {}): Registration {
    this.#userHandle = options.user.id;
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const publicKey = cbor(
      new Map<number, number | Buffer>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, id, publicKey]);
    const authData = Buffer.concat([this.#data(options.rp.id, faults, 0x40), credential]);
    const attestation = cbor(
      new Map<string, Cbor>([
        ['fmt', faults.attestation ?? 'none'],
        [
          'attStmt',
          faults.attestation
            ? new Map<string, Cbor>([
                ['alg', -7],
                ['sig', Buffer.alloc(64, 1)],
              ])
            : new Map<string, never>(),
        ],
        ['authData', authData],
      ]),
    );
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      response: {
        clientDataJSON: encode(this.#clientData('webauthn.create', options.challenge, faults)),
        attestationObject: encode(attestation),
        transports: ['internal'],
      },
    };
  }

  get(options: RequestOptions, faults: Faults = {}): Assertion {
    this.#counter = faults.counter ?? this.#counter + 1;
    const clientData = this.#clientData('webauthn.get', options.challenge, faults);
    const authData = this.#data(options.rpId, faults);
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(this.#keys.privateKey);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      response: {
        clientDataJSON: encode(clientData),
        authenticatorData: encode(authData),
        signature: encode(signature),
        userHandle: this.#userHandle,
      },
    };
  }

  #clientData(type: string, challenge: string, faults: Faults): Buffer {
    return Buffer.from(
      JSON.stringify({ type, challenge: faults.challenge ?? challenge, origin: faults.origin ?? this.#origin }),
    );
  }

  #data(rpId: string, { verified = true, counter = this.#counter, rpId: other }: Faults, more = 0): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(other ?? rpId), Buffer.from([1 | (verified ? 4 : 0) | more]), count]);
  }
}

type Cbor = number | string | Buffer | ReadonlyMap<string | number, Cbor>;

/** Encodes the subset of CBOR (RFC 8949) that an attestation needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 256) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
}
