import { Email } from '#contract/fields.ts';
import { type FormField, documentPaths } from '#contract/profile.ts';
import { sendNoticesJob } from '#server/features/identity/jobs.ts';
import { openArchive } from '#server/open-archive.ts';
import { recordAct } from '#server/platform/audit.ts';
import { readJournal } from '#server/platform/deletion-journal.ts';
import { keepFirebaseKey, toFirebaseHash } from '#server/platform/firebase-passwords.ts';
import { bytesOfDataString } from '#server/platform/media.ts';
import { type Command, Failure } from './command.ts';
import { afterDeletion, bringBack, includeDeleted, leftOut } from './exchange/deleted-people.ts';
import { type AuthRecord, readAuthExport, readHashConfig } from './firestore/auth.ts';
import { type StoredDocument, readDocuments } from './firestore/documents.ts';
import { type Arrival, NotImported, type Outcome, idFor, importPerson, planPerson } from './firestore/arrival.ts';
import { openOperatorLog, operatorLogPath } from './operator-log.ts';
import { readStoredShape } from './firestore/stored-shape.ts';

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
    ...includeDeleted,
    'dry-run': { type: 'boolean', summary: 'read and check everything, and write nothing' },
  },
  help: [
    'FILE is a JSON array, an object by ids, one document on each line, or what the REST interface of Firestore answers. Pictures come along as data strings; a picture at an address on the web is not fetched, but named.',
    'Passwords go on working: each is kept in our own way when it is typed the first time. For that, --hash-config is needed: a file, for whoever looks at the list of processes reads options. Its key is put into DATA_DIR/secrets: copy it with your backups, or people choose new passwords by mail.',
    'Who is here already stays as they are, so it can be run again. Profiles that break a rule of today are kept for their owners, who find them filled in when they sign in, and are seen by nobody else until then. Whoever has no address cannot sign in, and is not brought over.',
    'Nobody else sees an imported profile before its owner has signed in here. --notify sends one mail to everyone who has not signed in yet, however often the import runs. 100 mails go out every ten minutes while the product runs.',
    afterDeletion,
    'The exit code is 1 when something has to be looked at; everything else has been brought over all the same.',
  ],
  run: async ({ args: [file = ''], values, flags }, { environment, say, note, progress }) => {
    const isDry = flags.has('dry-run');
    if (flags.has('visible') && flags.has('hidden'))
      throw new Failure('--visible and --hidden exclude each other. Choose one of them.');
    const auth = values['auth'] === undefined ? null : await readAuthExport(values['auth']);
    const hashKey = values['hash-config'] === undefined ? null : await readHashConfig(values['hash-config']);
    const withPasswords = [...(auth?.records.values() ?? [])].filter(({ passwordHash }) => passwordHash).length;
    if (withPasswords > 0 && hashKey === null && !flags.has('without-passwords')) {
      throw new Failure(
        `${withPasswords} people have a password. Bring it over with --hash-config FILE, or add --without-passwords: then they choose a new one by mail.`,
      );
    }
    const archive = await openArchive(environment, { begins: true });
    const bar = progress('People', null);
    const tally = new Tally();
    try {
      const { context, config } = archive;
      if (!isDry) recordAct(openOperatorLog(config.dataDir), 'people imported by the operator');
      const journal = await readJournal(config.dataDir);
      const deletions = flags.has('include-deleted') ? null : journal;
      const keyId = hashKey === null || isDry ? null : await keepFirebaseKey(config.dataDir, hashKey);
      const seen = new Set<string>();
      const addresses = new Set<string>();

      /** One person, with whatever there is of them. */
      const bring = async (id: string, document: StoredDocument | null, record: AuthRecord | null): Promise<void> => {
        bar.add();
        if (seen.has(id)) return tally.refuse(id, 'comes twice; the first one counts');
        seen.add(id);
        try {
          const { arrival, remarks } = arrivalOf(id, document, record);
          if (isDry) {
            const planned = await planPerson(context.db, arrival, deletions);
            if (planned === 'added' && addresses.has(arrival.email))
              throw new NotImported('its address belongs to somebody else in these files');
            addresses.add(arrival.email);
            return tally.count(id, planned, remarks);
          }
          const { outcome, isPictureRead } = await importPerson(context, arrival, deletions);
          if (outcome === 'added')
            await bringBack(config.dataDir, journal, { accountId: arrival.id, email: arrival.email });
          return tally.count(id, outcome, isPictureRead ? remarks : [...remarks, 'the picture cannot be read as one']);
        } catch (error) {
          if (!(error instanceof NotImported)) throw error;
          return tally.refuse(id, error.message);
        }
      };

      const arrivalOf = (id: string, document: StoredDocument | null, record: AuthRecord | null) => {
        const remarks: string[] = [];
        const email = Email.safeParse(record?.email ?? document?.data['email']);
        if (!email.success)
          throw new NotImported(
            record?.email === undefined && document?.data['email'] === undefined
              ? `has no address: nobody could sign in${auth === null ? '. Bring the sign-ins with --auth' : ''}`
              : 'has an address that nothing can be mailed to',
          );
        if (record?.mfaInfo?.length) remarks.push('had a second factor by phone, which cannot come along');
        const profile = document && readStoredShape(document.data, context.institution, new Date());
        if (profile?.wrong.length)
          remarks.push(`its owner has to complete ${profile.wrong.map((field) => nameOf(field)).join(', ')}`);
        const { picture, remark } = pictureOf(document?.data['imgURL']);
        if (remark !== null) remarks.push(remark);
        const hash =
          keyId !== null && record?.passwordHash && record.salt !== undefined && !flags.has('without-passwords')
            ? toFirebaseHash(keyId, record.salt, record.passwordHash)
            : null;
        const arrival: Arrival = {
          id: idFor(id),
          email: email.data,
          isVerified: record?.emailVerified ?? false,
          passwordHash: hash,
          createdAt: dayOf(record?.createdAt),
          isDisabled: record?.disabled ?? false,
          shown: flags.has('hidden') ? 'by choice' : flags.has('visible') ? 'now' : 'at sign-in',
          isNotified: flags.has('notify'),
          profile: profile && (profile.form ? { form: profile.form } : { fields: profile.fields }),
          picture,
        };
        return { arrival, remarks };
      };

      let line = 0;
      try {
        for await (const document of readDocuments(file)) {
          line++;
          if (document.id === null) tally.refuse(`document ${line}`, 'does not say whose it is: it has no id');
          else await bring(document.id, document, auth?.records.get(document.id) ?? null);
        }
        for (const [id, record] of auth?.records ?? []) if (!seen.has(id)) await bring(id, null, record);
      } finally {
        bar.end();
      }
      if (auth?.unreadable) tally.refuse(`${auth.unreadable} lines of the sign-ins`, 'have no localId');
      for (const remark of tally.remarks) note(remark);
      if (tally.deleted > 0) say(leftOut(tally.deleted));
      if (!isDry && flags.has('notify')) await sendNoticesJob.queue(context.db, {}, { key: 'next', seconds: 0 });
      say(tally.result(isDry));
      if (!isDry) say(`Written down in ${operatorLogPath(config.dataDir)}.`);
      return tally.remarks.length > 0 ? 1 : 0;
    } finally {
      await archive.close();
    }
  },
};

/** What has become of everybody. */
class Tally {
  readonly remarks: string[] = [];
  #refused = 0;
  readonly #outcomes: Record<Outcome, number> = { added: 0, completed: 0, known: 0, deleted: 0 };

  /** How many were left out because they deleted their account here. */
  get deleted(): number {
    return this.#outcomes.deleted;
  }

  /** @param remarks what has to be looked at, of somebody who was brought over */
  count(id: string, outcome: Outcome, remarks: readonly string[]): void {
    this.#outcomes[outcome]++;
    // What they are here by now, nobody has to look at again.
    if (outcome !== 'known' && outcome !== 'deleted')
      for (const remark of remarks) this.remarks.push(`${id}: ${remark}.`);
  }

  refuse(id: string, reason: string): void {
    this.#refused++;
    this.remarks.push(`${id}: not brought over: ${reason}.`);
  }

  result(isDry: boolean): string {
    const { added, completed, known } = this.#outcomes;
    const would = isDry ? 'would be ' : '';
    return [
      `${added} ${would}brought over`,
      ...(completed > 0 ? [`${completed} ${would}given the profile that they had not yet`] : []),
      `${known} here already`,
      `${this.#refused} not`,
    ].join(', ');
  }
}

const nameOf = (field: FormField): string => documentPaths[field].join('.');

/** A moment that can have been one. @param milliseconds since 1970 */
function dayOf(milliseconds: number | undefined): Date | null {
  if (milliseconds === undefined || !(milliseconds > 0) || milliseconds > Date.now()) return null;
  return new Date(milliseconds);
}

function pictureOf(imgURL: unknown): { picture: Buffer | null; remark: string | null } {
  if (typeof imgURL !== 'string' || imgURL === '') return { picture: null, remark: null };
  if (/^data:image\/[\w.+-]+;base64,/u.test(imgURL)) return { picture: bytesOfDataString(imgURL), remark: null };
  if (/^https?:/u.test(imgURL))
    return { picture: null, remark: `the picture is at ${imgURL.slice(0, 200)}, and was not fetched` };
  return { picture: null, remark: 'the picture is neither a data string nor an address' };
}
