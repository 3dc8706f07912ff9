import { type StaffScope, wholeInstitution } from '#contract/staff/scope.ts';
import { type StaffRole, staffRoles as roles } from '#contract/staff/values.ts';
import { findActiveAddress } from '#server/domain/accounts/accounts.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { vouchForConsole } from '#server/domain/staff/console-access.ts';
import { findGrantedRoles, grantRole, removeRoles } from '#server/domain/staff/roles.ts';
import { type Command, Failure } from '../support/command.ts';
import { openOperatorLog, operatorLogPath } from '../support/operator-log.ts';
import { requireAccount } from '../support/require-account.ts';
import { withArchive } from '../support/with-archive.ts';

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
    college: { type: 'string', valueName: 'NAME', summary: 'limits a registrar or moderator to a college' },
    department: { type: 'string', valueName: 'NAME', summary: 'department of a class representative' },
    years: { type: 'string', valueName: 'YEAR-YEAR', summary: 'years of graduation of a class representative' },
  },
  description: [
    'Owners may do everything. Registrars decide claims and, without --college, import the roster; moderators decide reports, and class representatives see the coverage of their classes. A role has no effect until the account has a second factor.',
    'You vouch for the account: the staff console opens at once with its second factor, or with the first one that it adds within 24 hours. Otherwise a new second factor of staff waits 72 hours or for an owner. To end such a wait, run the command again, after you have verified who the person is.',
  ],
  examples: [
    'ada@university.example --role owner',
    'ben@university.example --role registrar --until 2027-06-30',
    'eve@mail.example --role class-representative --department "Computer Science" --years 2010-2012',
  ],
  run: ({ args: [address = ''], values }, { environment, print }) =>
    withArchive(environment, async ({ context: { db }, config: { dataDir } }) => {
      const role = requireRole(values['role']);
      const endsAt = readLastDay(values['until']);
      const scope = readScope(role, values);
      const { id, email } = await requireAccount(db, address);
      if ((await findActiveAddress(db, id)) === null)
        throw new Failure(
          `The address ${email} is not verified, or the account cannot be used. Anyone can sign up with an address that is not theirs. Ask the person to open the link in the email, then run this command again.`,
        );
      const log = openOperatorLog(dataDir);
      await db.transaction().execute(async (tx) => {
        await grantRole(tx, { accountId: id, role, scope, endsAt }, null);
        await vouchForConsole(tx, id);
      });
      recordAuditEvent(log, 'staff role granted by the operator');
      print(
        `${email} has the role ${role}${endsAt ? ` until ${values['until']}` : ''}. Recorded in ${operatorLogPath(dataDir)}.`,
      );
      const { hasSecondFactor } = (await findGrantedRoles(db)).find((one) => one.email === email) ?? {
        hasSecondFactor: false,
      };
      if (!hasSecondFactor)
        print(
          'The account has no second factor yet. The role has no effect until it has one. If the person adds it within 24 hours, the staff console opens at once.',
        );
    }),
};

export const staffList: Command = {
  name: 'staff list',
  summary: 'List the accounts with a staff role.',
  examples: [''],
  run: (_, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const staff = await findGrantedRoles(db);
      if (staff.length === 0) print('No staff.');
      for (const { email, role, endsAt, hasSecondFactor, ...scope } of staff)
        print(
          [
            email,
            role,
            describeScope(scope),
            endsAt && `until ${lastDayOf(endsAt)}`,
            !hasSecondFactor && 'no second factor',
          ]
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
      if ((await db.transaction().execute((tx) => removeRoles(tx, id, null, { ...(role && { role }) }))) === 0)
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

/**
 * Reads the part of the institution that a role is limited to.
 * @throws Failure for a scope that the role does not have
 */
function readScope(role: StaffRole, values: Readonly<Record<string, string | undefined>>): StaffScope {
  const { college, department, years } = values;
  if (role === 'class-representative') {
    const [from, to] =
      /^(?<from>\d{4})(?:-(?<to>\d{4}))?$/u
        .exec(years ?? '')
        ?.slice(1)
        .map((year) => Number(year)) ?? [];
    const yearFrom = from ?? 0;
    const yearTo = Number.isNaN(to) ? yearFrom : (to ?? 0);
    if (department === undefined || college !== undefined || yearFrom === 0 || yearTo < yearFrom)
      throw new Failure('A class representative needs --department NAME and --years, such as 2010-2012.');
    return { college: null, department, yearFrom, yearTo };
  }
  if (department !== undefined || years !== undefined || (college !== undefined && role === 'owner'))
    throw new Failure(
      `The role ${role} cannot be limited this way. For the options of each role, run "staff add --help".`,
    );
  return { ...wholeInstitution, college: college ?? null };
}

const describeScope = ({ college, department, yearFrom, yearTo }: StaffScope): string =>
  college ?? (department === null ? '' : `${department} ${yearFrom === yearTo ? yearFrom : `${yearFrom}-${yearTo}`}`);

const dayMs = 24 * 60 * 60 * 1000;

function readLastDay(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(day)) throw new Failure(`--until: "${text}" is not a date such as 2027-06-30.`);
  return new Date(day + dayMs);
}

const lastDayOf = (endsAt: Date) => new Date(endsAt.getTime() - dayMs).toISOString().slice(0, 10);
