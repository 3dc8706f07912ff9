import type { StaffRole } from '#server/db/schema.ts';
import { recordAuditEvent } from '#server/domain/audit-events.ts';
import { findStaff, grantRole, removeRoles } from '#server/domain/staff.ts';
import { type Command, Failure } from '../support/command.ts';
import { openOperatorLog, operatorLogPath } from '../support/operator-log.ts';
import { requireAccount } from '../support/require-account.ts';
import { withArchive } from '../support/with-archive.ts';

const roles = ['owner', 'registrar', 'moderator', 'class-representative'] as const satisfies readonly StaffRole[];

const roleOption = { type: 'string', valueName: 'ROLE', summary: `one of ${roles.join(', ')}` } as const;

export const staffAdd: Command = {
  name: 'staff add',
  summary: 'Grant an account a staff role.',
  requiredArguments: ['EMAIL'],
  options: {
    role: roleOption,
    until: {
      type: 'string',
      valueName: 'DATE',
      summary: 'last day of the role, YYYY-MM-DD; by default it does not end',
    },
  },
  description: [
    'Owners and registrars import the roster. Staff functions need a second factor, and a password entered within the last 12 hours.',
  ],
  examples: ['ada@university.example --role owner', 'ben@university.example --role registrar --until 2027-06-30'],
  run: ({ args: [address = ''], values }, { environment, print }) =>
    withArchive(environment, async ({ context: { db }, config: { dataDir } }) => {
      const role = requireRole(values['role']);
      const endsAt = readLastDay(values['until']);
      const { id, email } = await requireAccount(db, address);
      const log = openOperatorLog(dataDir);
      await grantRole(db, id, role, endsAt);
      recordAuditEvent(log, 'staff role granted by the operator');
      print(
        `${email} has the role ${role}${endsAt ? ` until ${values['until']}` : ''}. Recorded in ${operatorLogPath(dataDir)}.`,
      );
      const { hasSecondFactor } = (await findStaff(db)).find((one) => one.email === email) ?? {
        hasSecondFactor: false,
      };
      if (!hasSecondFactor) print('The account has no second factor yet. The role has no effect until it has one.');
    }),
};

export const staffList: Command = {
  name: 'staff list',
  summary: 'List the accounts with a staff role.',
  examples: [''],
  run: (_, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const staff = await findStaff(db);
      if (staff.length === 0) print('No staff.');
      for (const { email, role, endsAt, hasSecondFactor } of staff)
        print(
          [email, role, endsAt && `until ${lastDayOf(endsAt)}`, !hasSecondFactor && 'no second factor']
            .filter(Boolean)
            .join('  '),
        );
    }),
};

export const staffRemove: Command = {
  name: 'staff remove',
  summary: 'Remove a staff role, or all roles of an account.',
  requiredArguments: ['EMAIL'],
  options: { role: { ...roleOption, summary: 'the role to remove, by default all' } },
  examples: ['ada@university.example', 'ada@university.example --role registrar'],
  run: ({ args: [address = ''], values }, { environment, print }) =>
    withArchive(environment, async ({ context: { db }, config: { dataDir } }) => {
      const role = values['role'] === undefined ? undefined : requireRole(values['role']);
      const { id, email } = await requireAccount(db, address);
      const log = openOperatorLog(dataDir);
      if ((await removeRoles(db, id, role)) === 0)
        throw new Failure(`${email} does not have ${role ?? 'any staff role'}.`);
      recordAuditEvent(log, 'staff role removed by the operator');
      print(
        `${email} no longer has ${role ? `the role ${role}` : 'a staff role'}. Recorded in ${operatorLogPath(dataDir)}.`,
      );
    }),
};

function requireRole(text: string | undefined): StaffRole {
  const role = roles.find((one) => one === text);
  if (!role) throw new Failure(`Name a role with --role: ${roles.join(', ')}.`);
  return role;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the end of a day in UTC; null for no end. */
function readLastDay(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(day)) throw new Failure(`--until: "${text}" is not a date such as 2027-06-30.`);
  return new Date(day + dayMs);
}

const lastDayOf = (endsAt: Date) => new Date(endsAt.getTime() - dayMs).toISOString().slice(0, 10);
