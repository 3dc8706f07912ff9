import { type Page, expect } from '@playwright/test';
import type { StaffRole } from '#contract/staff/values.ts';
import type { TestServer } from './test-server.ts';

/** Grants the role for a class or the whole institution, and adds a second factor. */
export async function makeStaff(
  server: TestServer,
  uid: string,
  role: StaffRole,
  { department, year }: { readonly department?: string; readonly year?: number } = {},
): Promise<void> {
  await server.query(
    'insert into staff_roles (account_id, role, department, year_from, year_to) values ($1, $2, $3, $4, $4)',
    uid,
    role,
    department ?? null,
    year ?? null,
  );
  await server.query(
    `insert into authenticators (account_id, secret, confirmed_at) values ($1, '\\x00', now()) on conflict do nothing`,
    uid,
  );
}

/** Waits until the decisions of staff are saved, and skips the 30 seconds to undo them. */
export async function carryOutDecisions(server: TestServer, count = 1): Promise<void> {
  await expect(() =>
    server.query(`do $$ begin assert (select count(*) from review_decisions) = ${count}; end $$`),
  ).toPass();
  await server.query('update review_decisions set undo_until = now()');
  await server.ageJobs(31);
}

export interface SeededClaim {
  readonly firstName: string;
  readonly lastName: string;
  readonly otherNames?: string;
  readonly matricNumber: string;
  readonly note?: string;
  /** Values of the entries that differ from the claim. Without them, there is one equal entry. */
  readonly entries?: readonly Partial<
    Record<'first_name' | 'last_name' | 'other_names' | 'matric_number' | 'birth_date', string>
  >[];
}

export async function seedClaims(server: TestServer, claims: readonly SeededClaim[]): Promise<void> {
  for (const [at, claim] of claims.entries()) {
    const { firstName, lastName, otherNames = '', matricNumber, note = '', entries = [{}] } = claim;
    const typed = {
      firstName,
      lastName,
      otherNames,
      matricNumber,
      note,
      dob: '1993-04-12',
      gender: 'female',
      department: 'Computer Science',
      yearAdmitted: 2011,
      yearGraduated: 2015,
    };
    await server.query(
      `with account as (
         insert into accounts (email, email_verified, password_hash, display_name)
         values ($1, true, 'none', $2) returning id
       )
       insert into claims (account_id, typed, created_at)
       select id, $3, now() - make_interval(hours => 100 - $4::int) from account`,
      `claimant-${matricNumber.toLowerCase()}@mail.example`,
      `${lastName} ${firstName}`,
      JSON.stringify(typed),
      at,
    );
    for (const entry of entries) {
      const row = {
        first_name: firstName,
        last_name: lastName,
        other_names: otherNames,
        matric_number: matricNumber,
        birth_date: typed.dob,
      };
      const values = { ...row, ...entry };
      await server.query(
        `insert into roster_entries (matric_key, matric_number, last_name, first_name, other_names, birth_date, gender, department,
           year_admitted, year_graduated, words, first_import, last_import)
         values (upper($1), $1, $2, $3, $4, $5, 'female', 'Computer Science', 2011, 2015, '{}', 1, 1)`,
        values.matric_number,
        values.last_name,
        values.first_name,
        values.other_names,
        values.birth_date,
      );
    }
  }
}

/** Requires a signed-in owner. */
export async function findStaffPages(page: Page): Promise<string[]> {
  const html = await (await page.request.get('/staff', { headers: { accept: 'text/html' } })).text();
  const paths = [...new Set(Array.from(html.matchAll(/href="(\/staff\/[\w-]+)"/gu), ([, path = '']) => path))];
  if (paths.length < 8) throw new Error(`The staff console links only ${paths.join(', ')}.`);
  return paths;
}
