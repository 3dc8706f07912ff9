import { totpCode, totpStep } from '#server/platform/crypto/totp.ts';
import type { TestArchive, Visitor } from './archive.ts';
import type { Device } from './device.ts';
import { SoftPasskey } from './passkey.ts';

export interface MemberWithApp extends Visitor {
  readonly secret: Buffer;
  readonly recoveryCodes: string[];
}

export function decodeSecret(base32: string): Buffer {
  const bits = [...base32]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/gu) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

export const computeAppCode = (secret: Buffer, step = 0): string => totpCode(secret, totpStep() + step);

export function createWrongCode(secret: Buffer): string {
  const right = new Set([-2, -1, 0, 1, 2, 3].map((step) => computeAppCode(secret, step)));
  for (let code = 0; ; code++) {
    const text = String(code).padStart(6, '0');
    if (!right.has(text)) return text;
  }
}

/** Signs up, verifies the address, and sets up an app in the past, so that its current code is unused. */
export async function createMemberWithApp(archive: TestArchive): Promise<MemberWithApp> {
  const visitor = await archive.signUpVerified();
  const { secret: text } = await visitor.device.call('POST /api/identity/authenticator');
  const secret = decodeSecret(text);
  const { recoveryCodes } = await visitor.device.call('POST /api/identity/authenticator/confirm', {
    body: { code: computeAppCode(secret) },
  });
  await archive.pool.query(`update authenticators set last_step = 0, used_steps = '{}' where account_id = $1`, [
    visitor.uid,
  ]);
  return { ...visitor, secret, recoveryCodes: recoveryCodes ?? [] };
}

export async function createMemberWithPasskey(
  archive: TestArchive,
): Promise<Visitor & { passkey: SoftPasskey; recoveryCodes: string[] }> {
  const visitor = await archive.signUpVerified();
  const passkey = new SoftPasskey();
  const recoveryCodes = await addPasskey(visitor.device, passkey);
  return { ...visitor, passkey, recoveryCodes: recoveryCodes ?? [] };
}

export async function addPasskey(device: Device, passkey: SoftPasskey, name = 'My phone'): Promise<string[] | null> {
  const options = await device.call('POST /api/identity/passkeys/options');
  const { recoveryCodes } = await device.call('POST /api/identity/passkeys', {
    body: { name, passkey: passkey.create(options) },
  });
  return recoveryCodes;
}

export async function typePassword(
  archive: TestArchive,
  { email, password }: Pick<Visitor, 'email' | 'password'>,
): Promise<Device> {
  const device = archive.openDevice();
  const code = await device.code('POST /api/identity/sign-in', { body: { email, password } });
  if (code !== 'auth/multi-factor-required') throw new Error(`The sign-in returned ${code}.`);
  return device;
}
