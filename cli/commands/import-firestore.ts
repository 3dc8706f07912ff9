import type { Institution } from '#contract/institution.ts';
import { type IncomingPerson, NotImportable } from '#server/domain/incoming-person.ts';
import { saveFirebaseKey, toFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';
import { decodeDataUrl } from '#server/platform/media/media.ts';
import { type Command, Failure } from '../support/command.ts';
import { type AuthExport, type AuthRecord, readAuthExport, readHashConfig } from '../firestore/auth.ts';
import { type StoredDocument, readDocuments } from '../firestore/documents.ts';
import { idFor } from '../firestore/id.ts';
import { readStoredShape } from '../firestore/stored-shape.ts';
import { type ImportRecord, importHelp, importOptions, importPeople, unreadable } from '../support/import-people.ts';

/** `import-firestore FILE` */
export const importFirestore: Command = {
  name: 'import-firestore',
  summary: 'Brings people over from Firebase: documents of the users collection, and their sign-ins.',
  takes: ['FILE'],
  options: {
    auth: { type: 'string', value: 'FILE', summary: 'users.json of: firebase auth:export users.json --format=json' },
    'hash-config': {
      type: 'string',
      value: 'FILE',
      summary: 'the password hash parameters of the project, as its console shows them',
    },
    'without-passwords': { type: 'boolean', summary: 'everybody chooses a new password by mail' },
    visible: { type: 'boolean', summary: 'shows profiles at once; by default each is hidden until its owner signs in' },
    hidden: {
      type: 'boolean',
      summary: 'keeps profiles hidden after the first sign-in, until their owners turn "Hide me" off',
    },
    notify: { type: 'boolean', summary: 'sends each person a mail that says that their profile was moved here' },
    ...importOptions,
  },
  help: [
    'FILE is a JSON array, an object by ids, one document on each line, or what the REST interface of Firestore answers. Pictures come along as data strings; a picture at an address on the web is not fetched, but named.',
    'Passwords go on working: each is kept in our own way when it is typed the first time. For that, --hash-config is needed: a file, for whoever looks at the list of processes reads options. Its key is put into DATA_DIR/secrets: copy it with your backups, or people choose new passwords by mail.',
    'Who is here already stays as they are, so it can be run again. Profiles that break a rule of today are kept for their owners, who find them filled in when they sign in, and are seen by nobody else until then. Whoever has no address cannot sign in, and is not brought over.',
    'Nobody else sees an imported profile before its owner has signed in here. --notify sends one mail to everyone who has not signed in yet, however often the import runs. 100 mails go out every ten minutes while the product runs.',
    ...importHelp,
  ],
  run: async (input, tools) => {
    const {
      args: [file = ''],
      values,
      flags,
    } = input;
    if (flags.has('visible') && flags.has('hidden'))
      throw new Failure('--visible and --hidden exclude each other. Choose one of them.');
    const auth = values['auth'] === undefined ? null : await readAuthExport(values['auth']);
    const hashKey = values['hash-config'] === undefined ? null : await readHashConfig(values['hash-config']);
    const isWithPasswords = !flags.has('without-passwords');
    const withPasswords = [...(auth?.records.values() ?? [])].filter(({ passwordHash }) => passwordHash).length;
    if (withPasswords > 0 && hashKey === null && isWithPasswords) {
      throw new Failure(
        `${withPasswords} people have a password. Bring it over with --hash-config FILE, or add --without-passwords: then they choose a new one by mail.`,
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

/** A person as Firebase has them: the document, the record of the sign-in, or both. */
interface Source {
  readonly id: string;
  readonly document: StoredDocument | null;
  readonly record: AuthRecord | null;
  /** Whether the sign-ins were read too. */
  readonly hasAuth: boolean;
}

async function* readRecords(
  file: string,
  auth: AuthExport | null,
  read: (source: Source) => IncomingPerson,
): AsyncGenerator<ImportRecord> {
  const seen = new Set<string>();
  const hasAuth = auth !== null;
  let line = 0;
  for await (const document of readDocuments(file)) {
    line++;
    const { id } = document;
    if (id === null) yield unreadable(`document ${line}`, 'It has no id.');
    else if (seen.has(id)) yield unreadable(id, 'This id appears earlier in the file.');
    else yield { where: id, read: () => read({ id, document, record: auth?.records.get(id) ?? null, hasAuth }) };
    if (id !== null) seen.add(id);
  }
  for (const [id, record] of auth?.records ?? [])
    if (!seen.has(id)) yield { where: id, read: () => read({ id, document: null, record, hasAuth }) };
  if (auth?.unreadable) yield unreadable(`${auth.unreadable} lines of the sign-ins`, 'They have no localId.');
}

interface Choices {
  readonly institution: Institution;
  /** Of the key that checks the passwords; null if they are not imported. */
  readonly keyId: string | null;
  readonly isVisible: boolean;
  readonly isHidden: boolean;
}

/** @throws NotImportable */
function toPerson(
  { id, document, record, hasAuth }: Source,
  { institution, keyId, isVisible, isHidden }: Choices,
): IncomingPerson {
  const email = record?.email ?? document?.data['email'];
  if (typeof email !== 'string')
    throw new NotImportable(
      `There is no address, and nobody could sign in.${hasAuth ? '' : ' Bring the sign-ins with --auth.'}`,
    );
  const createdAt = dateOf(record?.createdAt);
  const { picture, warning } = pictureOf(document?.data['imgURL']);
  const warnings = warning === null ? [] : [warning];
  if (record?.mfaInfo?.length) warnings.push('The second factor by phone cannot be imported.');
  return {
    account: {
      id: idFor(id),
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

/** Returns a time if it is possible. @param milliseconds since 1970 */
function dateOf(milliseconds: number | undefined): Date | undefined {
  if (milliseconds === undefined || !(milliseconds > 0) || milliseconds > Date.now()) return undefined;
  return new Date(milliseconds);
}

function pictureOf(imgURL: unknown): { picture: Buffer | null; warning: string | null } {
  if (typeof imgURL !== 'string' || imgURL === '') return { picture: null, warning: null };
  if (/^data:image\/[\w.+-]+;base64,/u.test(imgURL)) return { picture: decodeDataUrl(imgURL), warning: null };
  if (/^https?:/u.test(imgURL))
    return { picture: null, warning: `The picture is at ${imgURL.slice(0, 200)} and was not fetched.` };
  return { picture: null, warning: 'The picture is neither a data string nor an address.' };
}
