import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { FirebaseKey } from '#server/platform/crypto/firebase-scrypt.ts';
import { Failure } from '../support/command.ts';

/** The used fields of an account in `firebase auth:export users.json --format=json`. */
const AuthRecord = z.object({
  localId: z.string().min(1),
  email: z.string().optional(),
  emailVerified: z.boolean().optional(),
  passwordHash: z.string().optional(),
  salt: z.string().optional(),
  /** Unix time in milliseconds, as text. */
  createdAt: z.coerce.number().optional(),
  disabled: z.boolean().optional(),
  mfaInfo: z.array(z.unknown()).optional(),
});
export type AuthRecord = z.infer<typeof AuthRecord>;

export interface AuthExport {
  readonly records: ReadonlyMap<string, AuthRecord>;
  readonly unreadable: number;
}

/** Reads an auth export. @throws Failure when the file has another format */
export async function readAuthExport(path: string): Promise<AuthExport> {
  let content: unknown;
  try {
    content = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new Failure(`${path} cannot be read. Create it with: firebase auth:export users.json --format=json`, {
      cause: error,
    });
  }
  const users = (content as { users?: unknown } | null)?.users;
  if (!Array.isArray(users))
    throw new Failure(`${path} has no list "users". Create it with: firebase auth:export users.json --format=json`);
  const records = new Map<string, AuthRecord>();
  let unreadable = 0;
  for (const user of users) {
    const { data } = AuthRecord.safeParse(user);
    if (data) records.set(data.localId, data);
    else unreadable++;
  }
  return { records, unreadable };
}

/**
 * Reads the password hash parameters of a Firebase project, in the format of the Firebase console or as JSON.
 * @throws Failure when a parameter is missing or invalid
 */
export async function readHashConfig(path: string): Promise<FirebaseKey> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Failure(
      `${path} cannot be read. Save the "Password hash parameters" from the Firebase console to this file.`,
      {
        cause: error,
      },
    );
  });
  const value = (name: string) => new RegExp(`${name}["']?\\s*[:=]\\s*["']?([\\w+/=-]+)`, 'u').exec(text)?.[1];
  const algorithm = value('algorithm');
  const key = FirebaseKey.safeParse({
    signerKey: value('base64_signer_key'),
    saltSeparator: value('base64_salt_separator') ?? '',
    rounds: Number(value('rounds')),
    memCost: Number(value('mem_cost')),
  });
  if (!key.success || (algorithm !== undefined && algorithm !== 'SCRYPT')) {
    throw new Failure(
      `${path} must contain base64_signer_key, base64_salt_separator, rounds (1 to 8) and mem_cost (1 to 14) for the algorithm SCRYPT. Copy them from the Firebase console: Authentication, Users, "Password hash parameters".`,
    );
  }
  return key.data;
}
