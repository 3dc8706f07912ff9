import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import sharp from 'sharp';
import { type ProfileDocument, toDocument } from '#contract/profile.ts';
import { termsVersion } from '#contract/terms.ts';
import { type Web, createApp } from '#server/app/app.ts';
import { type Database, openDatabase } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { allTasks } from '#server/app/jobs.ts';
import { createContext } from '#server/startup/create-context.ts';
import { type Config, readConfig } from '#server/platform/config/config.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { runDueJobs } from '#server/platform/jobs/worker.ts';
import { createLog } from '#server/platform/log/log.ts';
import { createMailer } from '#server/platform/mail/mailer.ts';
import { type Media, createMedia } from '#server/platform/media/media.ts';
import { openPictureStore } from '#server/platform/media/open-picture-store.ts';
import { pictureSizes } from '#server/domain/people/picture-sizes.ts';
import { createPasswordHasher } from '#server/platform/crypto/password-hashing.ts';
import { createSecretBox } from '#server/platform/crypto/secret-box.ts';
import { type InventedPerson, inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { copyDatabase, type TestDatabases } from './databases.ts';
import { Device, testUserAgent } from './device.ts';
import { ageQueued } from './jobs.ts';
import { findCode, type Inbox, openInbox } from './inbox.ts';
import { insertVerifiedAccount, lowestCost } from './verified-account.ts';

export interface TestArchive {
  readonly app: FastifyInstance;
  readonly context: Context;
  readonly inbox: Inbox;
  readonly logged: string[];
  readonly pool: pg.Pool;
  /** Returns a new browser with its own IP address. */
  openDevice(): Device;
  /** Starts a second application on the same database, with separate in-memory state and an optional read replica. */
  startSecondServer(replica?: Database, onReplicaFailure?: (error: unknown) => void): Promise<FastifyInstance>;
  runJobs(): Promise<void>;
  /** Makes all stored times older by an interval, e.g. `2 days`, except in the audit log, which cannot be changed. */
  advanceTime(interval: string): Promise<void>;
  signUp(email?: string, password?: string): Promise<Visitor>;
  signUpVerified(email?: string): Promise<Visitor>;
  /** Signs up without requests and emails, and saves the profile through the API. */
  createMember(wanted?: Partial<InventedPerson>, more?: Partial<ProfileDocument>): Promise<Member>;
  close(): Promise<void>;
}

export interface Visitor {
  readonly device: Device;
  readonly uid: string;
  readonly email: string;
  readonly password: string;
}

export interface Member extends Visitor {
  readonly document: ProfileDocument;
}

const memberPassword = 'a long enough word';

let addressCount = 0;

const nextAddress = () => {
  addressCount++;
  return `10.${(addressCount >> 16) & 255}.${(addressCount >> 8) & 255}.${addressCount & 255}`;
};

export async function openArchive(
  databases: TestDatabases,
  environment: NodeJS.ProcessEnv = {},
  web: Web = null,
  { browsing = {} }: { browsing?: Partial<Config['browsing']> } = {},
): Promise<TestArchive> {
  const { connection, drop } = await copyDatabase(databases);
  const inbox = await openInbox();
  const dataDir = mkdtempSync(join(tmpdir(), 'archive-data-'));
  const settings = readConfig({
    DATA_DIR: dataDir,
    SMTP_URL: inbox.url,
    MAIL_FROM: 'Alumni <archive@test.example>',
    // Tests read the directory more often than people do.
    BROWSE_PROFILES_PER_HOUR: '1000000',
    BROWSE_PAGES_PER_HOUR: '1000000',
    SAVES_PER_HOUR: '1000000',
    ...environment,
  });
  const config = { ...settings, browsing: { ...settings.browsing, ...browsing } };
  // The server does the same at its start.
  await createSecretBox(config.dataDir).ensureKey();
  const logged: string[] = [];
  const log = createLog('info', { write: (line: string) => void logged.push(line) });
  const database = openDatabase(connection, () => undefined);
  const picture = await smallPicture();
  const media = reuseEncoded(createMedia(openPictureStore(config, pictureSizes), pictureSizes), picture);
  const createTestContext = (...more: [replica?: Database, onReplicaFailure?: (error: unknown) => void]): Context => ({
    ...createContext(config, readInstitution(config.institutionFile), database, ...more),
    passwordHasher: createPasswordHasher(config.workers, config.dataDir, lowestCost),
    media,
  });
  const context = createTestContext();
  // Simulates an older installation: a new one deletes nothing on its first day.
  await database.pool.query(`update clock set steady_since = now() - interval '1 year'`);
  let mailer = createMailer(config);
  const app = await createApp(context, log, web);
  const random = createRandom(7);
  let people = 0;
  const nextEmail = () => `person${++people}@mail.example`;
  const cookiePrefix = config.http.publicUrl.startsWith('https:') ? '__Host-' : '';

  const createVisitor = async (): Promise<Visitor> => {
    const email = nextEmail();
    const { uid, cookies } = await insertVerifiedAccount(database.pool, {
      email,
      passwordHash: await context.passwordHasher.hash(memberPassword),
      userAgent: testUserAgent,
    });
    const device = archive.openDevice();
    for (const [name, value] of Object.entries(cookies)) device.cookies.set(cookiePrefix + name, value);
    return { device, uid, email, password: memberPassword };
  };

  const archive: TestArchive = {
    app,
    context,
    inbox,
    logged,
    pool: database.pool,
    openDevice: () => new Device(app, nextAddress()),
    startSecondServer: (...replica) => createApp(createTestContext(...replica), log, null),
    advanceTime: async (interval) => {
      await database.pool.query(`do $$ declare change text; begin
        for change in select format('update %I set ', c.relname)
            || string_agg(format('%1$I = %1$I - interval %2$L', a.attname, '${interval}'), ', ')
          from pg_class c join pg_attribute a on a.attrelid = c.oid
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'audit_records'
            and a.atttypid = 'timestamptz'::regtype and not a.attisdropped
          group by c.relname
        loop execute change; end loop; end $$`);
      // Mails wait for some seconds after the mail server did not respond.
      mailer.close();
      mailer = createMailer(config);
      // Simulates a server that was running during this time.
      await database.pool.query('update clock set seen_at = now()');
      // Digests and failed attempts are delayed; makes them due.
      const { rows: lengths } = await database.pool.query<{ seconds: number }>(
        'select extract(epoch from $1::interval)::float8 as seconds',
        [interval],
      );
      await ageQueued(database.db, lengths[0]?.seconds ?? 0);
    },
    runJobs: () => runDueJobs(database.db, allTasks(context, mailer), log),
    signUp: async (email = nextEmail(), password = memberPassword) => {
      const device = archive.openDevice();
      const { user } = await device.call('POST /api/identity/sign-up', {
        body: { email, password, terms: termsVersion },
      });
      return { device, uid: user.uid, email, password };
    },
    signUpVerified: async (email) => {
      const visitor = await archive.signUp(email);
      await archive.runJobs();
      const code = findCode(await inbox.next(visitor.email, 'Verify your email address'));
      await visitor.device.call('POST /api/identity/action-code/apply', { body: { code } });
      return visitor;
    },
    createMember: async (wanted = {}, more = {}) => {
      const visitor = await createVisitor();
      const person = inventPerson(random, context.institution, new Date().getUTCFullYear(), wanted);
      const document = { ...toDocument({ ...person, imgURL: picture }), ...more };
      await visitor.device.call('PUT /api/users/{id}', { params: { id: visitor.uid }, body: document });
      return { ...visitor, document: { ...document, version: 'any' } };
    },
    close: async () => {
      await app.close();
      mailer.close();
      await database.close();
      await inbox.close();
      await drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return archive;
}

let encodedPicture: ReadonlyMap<string, Buffer> | undefined;

/** Encodes the picture of members once per process. Encoding it for each would take half of the test time. */
function reuseEncoded(media: Media, picture: string): Media {
  const known = Buffer.from(picture.slice(picture.indexOf(',') + 1), 'base64');
  return {
    ...media,
    storePortrait: async (image) => {
      if (!image.equals(known)) return media.storePortrait(image);
      if (!encodedPicture) {
        const stored = await media.storePortrait(image);
        encodedPicture = new Map((await media.readFiles(stored)).map(({ name, content }) => [name, content]));
        return stored;
      }
      await media.store.requireSpace();
      const name = randomBytes(16).toString('base64url');
      await media.store.write(name, encodedPicture);
      return name;
    },
  };
}

export async function smallPicture(colour = '#7799bb'): Promise<string> {
  const jpeg = await sharp({ create: { width: 64, height: 80, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
}
