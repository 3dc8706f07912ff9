import { argon2, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import pg from 'pg';
import { createWorkQueue } from '#server/platform/limits/work-queue.ts';

/*
 * Baseline for the benchmark: node:http and pg only, with the same queries and the same password hashing. It has no
 * routing, sessions, validation, privacy, headers or log.
 */

const { PORT, DATABASE_URL, SCHOOL_LABEL } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });

interface Row {
  account_id: string;
  sort_name: string;
  name: string;
  picture: string | null;
  department: string | null;
  year_graduated: number | null;
  matric_number: string | null;
}

const columns = 'account_id, sort_name, name, picture, department, year_graduated, matric_number';
const pageSize = 24;

const toCard = (row: Row) => ({
  id: row.account_id,
  thumb: row.picture === null ? null : `/media/${row.picture}/192.webp`,
  name: row.name,
  ...(row.department !== null && { department: row.department }),
  schoolLabel: SCHOOL_LABEL,
  ...(row.year_graduated !== null && { yearGraduated: row.year_graduated }),
  ...(row.matric_number !== null && { matricNumber: row.matric_number }),
  label: 'Alum',
});

async function readList(audience: string, after: string | null = null): Promise<unknown> {
  const { rows } = await pool.query<Row>(
    `select ${columns} from listings where audience = $1 ${after === null ? '' : 'and (sort_name, account_id) > ($3, $4)'}
     order by sort_name, account_id limit $2`,
    [
      audience,
      pageSize + 1,
      ...(after === null ? [] : (JSON.parse(Buffer.from(after, 'base64url').toString()) as string[])),
    ],
  );
  const page = rows.slice(0, pageSize);
  const last = page.at(-1);
  const next = last && Buffer.from(JSON.stringify([last.sort_name, last.account_id])).toString('base64url');
  return { items: page.map(toCard), next };
}

async function readProfile(id: string): Promise<unknown> {
  const { rows } = await pool.query(
    'select p.*, a.email from profiles p join accounts a on a.id = p.account_id where account_id = $1',
    [id],
  );
  return rows[0];
}

async function searchPeople(q: string): Promise<unknown> {
  const words = q.split(' ');
  const { rows } = await pool.query<Row>(
    `select ${columns} from listings where audience = 'members'
       and ${words.map((_, at) => `name ilike $${at + 1}`).join(' and ')} limit 48`,
    words.map((word) => `%${word}%`),
  );
  return { items: rows.map(toCard) };
}

async function countMembers(): Promise<unknown> {
  const { rows } = await pool.query("select count(*)::int as count from listings where audience = 'members'");
  return rows[0];
}

async function readSession({ headers }: IncomingMessage): Promise<unknown> {
  const [, token = ''] = /(?:^|; )sid=([^;]*)/u.exec(headers.cookie ?? '') ?? [];
  const { rows } = await pool.query('select * from sessions where token_hash = $1', [hash('sha256', token, 'buffer')]);
  return rows[0];
}

async function saveProfile(request: IncomingMessage, column: 'bio' | 'first_name'): Promise<unknown> {
  const { id, value } = JSON.parse(await text(request)) as { id: string; value: string };
  await pool.query(`update profiles set ${column} = $2, updated_at = now() where account_id = $1`, [id, value]);
  return readProfile(id);
}

const deriveKey = promisify(argon2);
/** Hashes one password at a time, like the server. With two cores, one remains for other requests. */
const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 1_000 });
const phcPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/u;

async function signIn(request: IncomingMessage): Promise<unknown> {
  const { email, password } = JSON.parse(await text(request)) as { email: string; password: string };
  const { rows } = await pool.query<{ id: string; password_hash: string }>(
    'select id, password_hash from accounts where email = $1',
    [email],
  );
  const [account] = rows;
  const [, memory, passes, parallelism, salt, tag] = phcPattern.exec(account?.password_hash ?? '') ?? [];
  const expected = Buffer.from(tag ?? '', 'base64');
  const actual = await queue(() =>
    deriveKey('argon2id', {
      message: Buffer.from(password),
      nonce: Buffer.from(salt ?? '', 'base64'),
      tagLength: expected.length,
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
    }),
  );
  if (!timingSafeEqual(actual, expected)) throw new Error('Wrong password.');
  await pool.query(
    `insert into sessions (token_hash, account_id, user_agent, expires_at) values ($1, $2, '', now() + interval '1 day')`,
    [randomBytes(32), account?.id],
  );
  return { id: account?.id };
}

let constantBody = '';

const handlers: Record<string, (request: IncomingMessage, url: URL) => Promise<unknown>> = {
  '/members': (_, url) => readList('members', url.searchParams.get('after')),
  '/guests': () => readList('everyone'),
  '/profile': (_, url) => readProfile(url.searchParams.get('id') ?? ''),
  '/search': (_, url) => searchPeople(url.searchParams.get('q') ?? ''),
  '/count': countMembers,
  '/session': readSession,
  '/save': (request) => saveProfile(request, 'bio'),
  '/save-name': (request) => saveProfile(request, 'first_name'),
  '/sign-in': signIn,
};

createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost');
  const send = (body: string) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (url.pathname === '/constant') return send(constantBody);
  const answer = handlers[url.pathname];
  if (!answer) return void response.writeHead(404).end();
  answer(request, url).then(
    (answer) => send(JSON.stringify(answer)),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(Number(PORT), '127.0.0.1');

constantBody = JSON.stringify(await readList('members'));
