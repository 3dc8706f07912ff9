import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect } from 'vitest';
import type { Card } from '#contract/directory.ts';
import { type Profile, type ProfileDocument, toDocument } from '#contract/profile.ts';
import { termsVersion } from '#contract/terms.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { createFolderStore } from '#server/platform/media/folder-store.ts';
import { mediaFolder } from '#server/platform/media/open-picture-store.ts';
import type { PictureStore } from '#server/platform/media/picture-store.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { smallPicture } from './archive.ts';
import { type Answer, Browser } from './browser.ts';
import { findCode, type Inbox } from './inbox.ts';

/*
 * Simulates members who write continuously while the server fails, and who record every acknowledged write. Each
 * version of a profile contains its number in several fields, so that a partial write is noticed.
 */

export interface CrowdTarget {
  readonly origin: string;
  readonly inbox: Inbox;
}

export interface Crowd {
  readonly acknowledged: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly missingRetryAfter: number;
  stop(): Promise<void>;
  verify(connection: pg.ClientConfig, dataDir: string, store?: PictureStore): Promise<void>;
}

interface Writer {
  readonly browser: Browser;
  readonly id: string;
  readonly document: ProfileDocument;
  acknowledged: number;
  sent: number;
}

const retryDelayMs = 20;

const password = 'a long enough word';
const colours = ['#7799bb', '#bb7799', '#99bb77', '#335577'];

export async function startCrowd(place: CrowdTarget, people: number): Promise<Crowd> {
  const pictures = await Promise.all(colours.map(smallPicture));
  const random = createRandom(people);
  const institution = readInstitution('institution.json');
  const statuses = new Map<number, number>();
  const signUps: { email: string; isSure: boolean }[] = [];
  const stopController = new AbortController();
  let [acknowledged, impolite, browserCount, photos] = [0, 0, 0, 0];

  const newBrowser = () => {
    browserCount++;
    return new Browser(place.origin, `10.9.${browserCount >> 8}.${browserCount & 255}`);
  };
  const signUp = async (browser: Browser, email: string) =>
    browser.ask('POST /api/identity/sign-up', { body: { email, password, terms: termsVersion } });

  async function join(index: number): Promise<Writer> {
    const browser = newBrowser();
    const email = `writer${index}@mail.example`;
    const { body } = await signUp(browser, email);
    const code = findCode(await place.inbox.next(email, 'Verify your email address'));
    await browser.ask('POST /api/identity/action-code/apply', { body: { code } });
    const person = inventPerson(random, institution, new Date().getUTCFullYear());
    const writer: Writer = {
      browser,
      id: (body as { user: { uid: string } }).user.uid,
      document: toDocument({ ...person, imgURL: pictures[0] ?? null }),
      acknowledged: 0,
      sent: 0,
    };
    const { status } = await save(writer, pictures[0] ?? null);
    expect(status).toBe(200);
    return writer;
  }

  async function save(writer: Writer, imgURL: string | null): Promise<Answer> {
    const { document, browser, id } = writer;
    writer.sent++;
    const version = `Version ${writer.sent}`;
    const answer = await browser.ask('PUT /api/users/{id}', {
      params: { id },
      body: {
        ...document,
        imgURL,
        version: 'any',
        name: { ...document.name, middle: version },
        interest: version,
        bio: version,
        fullBio: version,
        homeAddress: version,
      },
    });
    if (answer.status === 200) writer.acknowledged = writer.sent;
    return answer;
  }

  async function saveNextVersion(writer: Writer): Promise<Answer> {
    if (writer.sent % 3 !== 0) return save(writer, pictures[writer.sent % pictures.length] ?? null);
    const own = await writer.browser.ask('GET /api/users/{id}', { params: { id: writer.id }, query: {} });
    return own.status === 200 ? save(writer, (own.body as Profile).imgURL) : own;
  }

  async function signUpNewMember(): Promise<Answer> {
    const newcomer = { email: `newcomer${signUps.length}@mail.example`, isSure: false };
    signUps.push(newcomer);
    const answer = await signUp(newBrowser(), newcomer.email);
    newcomer.isSure = answer.status === 200;
    return answer;
  }

  async function addPhoto({ browser }: Writer): Promise<Answer> {
    const answer = await browser.ask('POST /api/gallery/photos', {
      body: { album: 'Reunion', title: 'Caps in the air', audience: 'members', image: pictures[1] ?? '' },
    });
    if (answer.status === 200) photos++;
    return answer;
  }

  async function write(writer: Writer): Promise<void> {
    for (let turns = 1; !stopController.signal.aborted; turns++) {
      let answer: Answer;
      if (turns % 10 === 0) answer = await addPhoto(writer);
      else if (turns % 15 === 0) answer = await signUpNewMember();
      else answer = await saveNextVersion(writer);
      const { status, headers } = answer;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) acknowledged++;
      if (status === 503 && headers.get('retry-after') === null) impolite++;
      // A person also retries after no response.
      if (status !== 200) await delay(retryDelayMs);
    }
  }

  const writers: Writer[] = [];
  for (let index = 0; index < people; index++) writers.push(await join(index));
  const writing = Promise.all(writers.map(write));

  return {
    get acknowledged() {
      return acknowledged;
    },
    get missingRetryAfter() {
      return impolite;
    },
    statuses,
    stop: async () => {
      stopController.abort();
      await writing;
    },
    verify: async (connection, dataDir, store = createFolderStore(mediaFolder(dataDir), 0)) => {
      for (const { browser, id, ...writer } of writers) {
        const { status, body } = await browser.ask('GET /api/users/{id}', { params: { id }, query: {} });
        expect(status).toBe(200);
        const profile = body as Profile;
        const version = Number(profile.bio?.split(' ')[1]);
        // The last unacknowledged write may have been stored.
        expect(version).toBeGreaterThanOrEqual(writer.acknowledged);
        expect(version).toBeLessThanOrEqual(writer.sent);
        expect(profile).toMatchObject({
          name: { middle: `Version ${version}` },
          interest: `Version ${version}`,
          fullBio: `Version ${version}`,
          homeAddress: `Version ${version}`,
        });
        // A store that was just repaired can still refuse a request.
        await expect
          .poll(async () => (await browser.fetch(profile.imgURL ?? '/none')).status, { timeout: 60_000 })
          .toBe(200);
        const found = await browser.ask('GET /api/users', { query: { department: profile.academic.department } });
        const card = (found.body as { items: Card[] }).items.find((one) => one.id === id);
        expect(card).toMatchObject({ name: expect.stringContaining(`Version ${version}`) as string });
      }
      for (const { email } of signUps.filter(({ isSure }) => isSure)) {
        const answer = await newBrowser().ask('POST /api/identity/sign-in', { body: { email, password } });
        expect([email, answer.status]).toEqual([email, 200]);
      }
      await compareRows(connection, store, photos);
    },
  };
}

async function compareRows(connection: pg.ClientConfig, store: PictureStore, photos: number): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const ask = async (text: string) => (await client.query<Record<string, string>>(text)).rows;
    const pictures = await ask(
      `select picture, 3 as files from profiles where picture is not null union all select picture, 2 from photos`,
    );
    for (const { picture = '', files } of pictures)
      expect([picture, (await store.listFiles(picture)).length]).toEqual([picture, files]);
    const [kept] = await ask('select count(*)::int as photos from photos');
    expect(Number(kept?.['photos'])).toBeGreaterThanOrEqual(photos);
    const groups =
      "audience::text, coalesce(college, ''), coalesce(department, ''), coalesce(program, ''), coalesce(year_graduated, 0)";
    const counted = await ask(
      `select ${groups}, people::int from listing_counts where people > 0 order by 1, 2, 3, 4, 5`,
    );
    const listed = await ask(
      `select ${groups}, count(*)::int as people from listings group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
    );
    expect(counted).toEqual(listed);
    expect(
      await ask(
        'select account_id from profiles p where not exists (select from listings l where l.account_id = p.account_id)',
      ),
    ).toEqual([]);
  } finally {
    await client.end();
  }
}
