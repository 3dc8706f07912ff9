import type { Institution } from '#contract/institution.ts';
import { type IncomingPerson, NotImportable } from '#server/domain/people/incoming-person.ts';
import { saveFirebaseKey, toFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';
import { decodeDataUrl } from '#server/platform/media/media.ts';
import { type Command, Failure } from '../support/command.ts';
import { type AuthExport, type AuthRecord, readAuthExport, readHashConfig } from '../firestore/auth.ts';
import { type StoredDocument, readDocuments } from '../firestore/documents.ts';
import { createIdFor } from '../firestore/id.ts';
import { readStoredShape } from '../firestore/stored-shape.ts';
import { type ImportRecord, importHelp, importOptions, importPeople, unreadable } from '../support/import-people.ts';

export const importFirestore: Command = {
  name: 'import-firestore',
  summary: 'Import people from Firebase: Firestore documents and sign-in accounts.',
  requiredArguments: ['FILE'],
  options: {
    auth: {
      type: 'string',
      valueName: 'FILE',
      summary: 'the file made by: firebase auth:export users.json --format=json',
    },
    'hash-config': {
      type: 'string',
      valueName: 'FILE',
      summary: 'the "Password hash parameters" from the Firebase console',
    },
    'without-passwords': { type: 'boolean', summary: 'do not import passwords; everyone sets a new one by email' },
    visible: { type: 'boolean', summary: 'show profiles at once, not only after the owner signs in' },
    hidden: {
      type: 'boolean',
      summary: 'keep profiles hidden until their owners turn off "Hide me"',
    },
    notify: { type: 'boolean', summary: 'email each person that their profile was moved here' },
    ...importOptions,
  },
  description: [
    'FILE contains the documents of the users collection: a JSON array, a JSON object with ids as keys, one document per line, or a response of the Firestore REST API. Pictures are imported from data URLs. Pictures at web addresses are not downloaded; the report lists them.',
    'With --auth and --hash-config, passwords keep working. Each password is hashed again with Argon2id at the first sign-in. The parameters are read from a file because other users of this computer can see command line options. The key is stored in DATA_DIR/secrets. Back up this folder: without the key, people have to reset their passwords by email.',
    'You can run the import again: it does not change people who already exist. An incomplete profile, which breaks a current rule, is stored for its owner. The owner completes it after signing in, and no one else sees it until then. People without an email address are not imported, because they could not sign in.',
    'By default, an imported profile is hidden from others until its owner signs in. --notify sends one email to everyone who has not signed in yet, even if the import runs several times. The running server sends 100 of these emails every ten minutes.',
    ...importHelp,
  ],
  examples: [
    'users-collection.json --auth users.json --hash-config hash.txt --dry-run',
    'users-collection.json --auth users.json --hash-config hash.txt --notify',
    'users-collection.json --auth users.json --without-passwords',
  ],
  run: async (input, tools) => {
    const {
      args: [file = ''],
      values,
      flags,
    } = input;
    if (flags.has('visible') && flags.has('hidden'))
      throw new Failure('--visible and --hidden cannot be used together. Choose one of them.');
    const auth = values['auth'] === undefined ? null : await readAuthExport(values['auth']);
    const hashKey = values['hash-config'] === undefined ? null : await readHashConfig(values['hash-config']);
    const isWithPasswords = !flags.has('without-passwords');
    const withPasswords = [...(auth?.records.values() ?? [])].filter(({ passwordHash }) => passwordHash).length;
    if (withPasswords > 0 && hashKey === null && isWithPasswords) {
      throw new Failure(
        `${withPasswords} people have a password. Import the passwords with --hash-config FILE, or add --without-passwords: then they set a new one by email.`,
      );
    }
    return importPeople(
      input,
      tools,
      { knownBy: 'id', existing: 'complete', isLenient: true, isNotifying: flags.has('notify') },
      async function* ({ context: { institution }, config }) {
        const isKept = hashKey !== null && !flags.has('dry-run');
        const keyId = isKept ? await saveFirebaseKey(config.dataDir, hashKey) : null;
        yield* readRecords(file, auth, (source) =>
          toPerson(source, {
            institution,
            keyId: isWithPasswords ? keyId : null,
            isVisible: flags.has('visible'),
            isHidden: flags.has('hidden'),
          }),
        );
      },
    );
  },
};

interface FirebaseUser {
  readonly id: string;
  readonly document: StoredDocument | null;
  readonly record: AuthRecord | null;
  readonly hasAuth: boolean;
}

async function* readRecords(
  file: string,
  auth: AuthExport | null,
  read: (source: FirebaseUser) => IncomingPerson,
): AsyncGenerator<ImportRecord> {
  const seen = new Set<string>();
  const hasAuth = auth !== null;
  let line = 0;
  for await (const document of readDocuments(file)) {
    line++;
    const { id } = document;
    if (id === null) yield unreadable(`document ${line}`, 'The document has no id.');
    else if (seen.has(id)) yield unreadable(id, 'This id appears earlier in the file.');
    else yield { where: id, read: () => read({ id, document, record: auth?.records.get(id) ?? null, hasAuth }) };
    if (id !== null) seen.add(id);
  }
  for (const [id, record] of auth?.records ?? [])
    if (!seen.has(id)) yield { where: id, read: () => read({ id, document: null, record, hasAuth }) };
  if (auth?.unreadable) yield unreadable(`${auth.unreadable} accounts in the --auth file`, 'They have no localId.');
}

interface PersonOptions {
  readonly institution: Institution;
  /** Id of the key that verifies the passwords; null if passwords are not imported. */
  readonly keyId: string | null;
  readonly isVisible: boolean;
  readonly isHidden: boolean;
}

function toPerson(
  { id, document, record, hasAuth }: FirebaseUser,
  { institution, keyId, isVisible, isHidden }: PersonOptions,
): IncomingPerson {
  const email = record?.email ?? document?.data['email'];
  if (typeof email !== 'string')
    throw new NotImportable(
      `There is no email address, so no one could sign in.${hasAuth ? '' : ' Add the sign-in accounts with --auth.'}`,
    );
  const createdAt = toDate(record?.createdAt);
  const { picture, warning } = readPicture(document?.data['imgURL']);
  const warnings = warning === null ? [] : [warning];
  if (record?.mfaInfo?.length) warnings.push('The second factor by phone (SMS) cannot be imported.');
  return {
    account: {
      id: createIdFor(id),
      email,
      emailVerified: record?.emailVerified ?? false,
      passwordHash:
        keyId !== null && record?.passwordHash && record.salt !== undefined
          ? toFirebaseHash(keyId, record.salt, record.passwordHash)
          : null,
      createdAt,
      disabledAt: record?.disabled ? new Date() : null,
      hiddenUntilSignIn: isVisible ? null : 'imported',
    },
    profile: document && {
      fields: readStoredShape(document.data, institution),
      picture,
      isHidden,
      createdAt,
    },
    warnings,
  };
}

/** Converts a Unix time in milliseconds. Returns undefined for zero, negative and future times. */
function toDate(milliseconds: number | undefined): Date | undefined {
  if (milliseconds === undefined || !(milliseconds > 0) || milliseconds > Date.now()) return undefined;
  return new Date(milliseconds);
}

function readPicture(imgURL: unknown): { picture: Buffer | null; warning: string | null } {
  if (typeof imgURL !== 'string' || imgURL === '') return { picture: null, warning: null };
  if (/^data:image\/[\w.+-]+;base64,/u.test(imgURL)) return { picture: decodeDataUrl(imgURL), warning: null };
  if (/^https?:/u.test(imgURL))
    return { picture: null, warning: `The picture at ${imgURL.slice(0, 200)} was not downloaded.` };
  return { picture: null, warning: 'The picture is neither a data URL nor a web address.' };
}
