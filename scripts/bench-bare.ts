import { createServer } from 'node:http';
import pg from 'pg';

/*
 * What the product is measured against: the first page of cards for a guest, by the same query, and nothing else. No
 * routing, no sessions, no checks, no headers, no log.
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

const query = `
  select account_id, sort_name, name, picture, department, year_graduated, matric_number
  from listings where audience = $1 order by sort_name, account_id limit $2`;
const shown = 24;

createServer((_, response) => {
  void pool.query<Row>(query, ['everyone', shown + 1]).then(({ rows }) => {
    const page = rows.slice(0, shown);
    const last = page.at(-1);
    const items = page.map((row) => ({
      id: row.account_id,
      thumb: row.picture === null ? null : `/media/${row.picture}/192.webp`,
      name: row.name,
      ...(row.department !== null && { department: row.department }),
      schoolLabel: SCHOOL_LABEL,
      ...(row.year_graduated !== null && { yearGraduated: row.year_graduated }),
      ...(row.matric_number !== null && { matricNumber: row.matric_number }),
      label: 'Alum',
    }));
    const next =
      rows.length > shown && last
        ? Buffer.from(JSON.stringify([last.sort_name, last.account_id])).toString('base64url')
        : null;
    const body = JSON.stringify({ items, next });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}).listen(Number(PORT), '127.0.0.1');
