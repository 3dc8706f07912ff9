import { join } from 'node:path';
import { sql } from 'kysely';
import { hasReachedAge } from '#contract/age.ts';
import { canonicalizeEmail } from '#contract/fields.ts';
import type { Institution } from '#contract/institution.ts';
import type { MembershipMode } from '#contract/membership.ts';
import { termsVersion } from '#contract/terms.ts';
import { emptyCareer } from '#server/domain/careers/career.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { fold } from '#server/domain/search/folding.ts';
import { savePerson, toColumns } from '#server/domain/people/people.ts';
import { findPictureAudience } from '#server/domain/people/visibility.ts';
import { ConfigError } from '#server/platform/config/config-error.ts';
import { keyVariables } from '#server/platform/crypto/copy-shared-keys.ts';
import { type InventedPerson, inventChoices, inventPerson } from './invent.ts';
import { addTracerAnswers, helpOf, inventCareer } from './careers.ts';
import { paintPortrait } from './portrait.ts';
import { type Graduate, claimsMembership, seedRoster } from './roster.ts';
import { createRandom, type Random } from './random.ts';
import { representativeIndex, requestDemoExport, seedStaff, staffAccounts, storePhotos } from './staff.ts';

const showPlace = { city: 'everyone', country: 'everyone' } as const;

export const demoAccount = { email: 'demo@alumni.example', password: 'olumo rock at dawn' } as const;

/** Account of the confirmed demo that still has to be confirmed. Its roster entry has the first of `demoCodes`. */
export const newcomerAccount = { email: 'newcomer@alumni.example', password: demoAccount.password } as const;

interface Options {
  readonly people: number;
  readonly portraits: number;
  readonly rosterEntries?: number;
  readonly say?: (line: string) => void;
}

/**
 * Returns the environment of the demo: the given environment with a separate data folder per mode. The password of the
 * demo account is public, so the demo must never share a database with real accounts, and it ignores their pictures and
 * keys.
 * @throws ConfigError if DATABASE_URL is set
 */
export function demoEnvironment(environment: NodeJS.ProcessEnv, mode: MembershipMode): NodeJS.ProcessEnv {
  const { DATABASE_URL, DATA_DIR } = environment;
  if (DATABASE_URL) {
    throw new ConfigError(
      'DATABASE_URL is set, but the demo must use its own database, because the password of its account is public. ' +
        'Unset it: DATABASE_URL= npm run demo',
    );
  }
  return {
    ...environment,
    MEDIA_URL: '',
    SECRETS_DIR: '',
    ...Object.fromEntries(keyVariables.map((name) => [name, ''])),
    DATA_DIR: join(DATA_DIR ? join(DATA_DIR, 'demo') : './demo-data', mode),
  };
}

/** Current year of the generated campus. Fixed, so that screenshots and tests stay the same. */
const lastYear = 2026;

/**
 * Fills an empty archive with a campus of generated people. The same seed generates the same people. Only the demo
 * account can sign in, and with a roster the account that still has to be confirmed and the staff. With a roster, the
 * data folder needs its second-factor key.
 * @throws Error with a message for the operator if the archive has accounts
 */
export async function seedCampus(
  context: Context,
  { people, portraits, rosterEntries = 0, say = () => undefined }: Options,
): Promise<void> {
  const { db, institution, passwordHasher } = context;
  const known = await db.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  if (known) throw new Error('The archive already has accounts. The demo campus needs an empty archive.');

  const random = createRandom(20_261_120);
  // Separate, so that the people stay the same.
  const careerRandom = createRandom(20_261_127);
  say(`Drawing ${portraits} portraits …`);
  const pictures = await storePortraits(context, random, portraits);
  say(`Creating ${people} people …`);
  const passwordHash = await passwordHasher.hash(demoAccount.password);
  const hasRoster = rosterEntries > 0;
  const photos = hasRoster ? await storePhotos(context) : [];
  await db.transaction().execute(async (tx) => {
    const graduates: Graduate[] = [];
    for (let index = 0; index < people + (hasRoster ? 1 : 0); index++) {
      const isDemo = index === 0;
      const isNewcomer = index === people;
      const isRepresentative = hasRoster && index === representativeIndex;
      const membership = isNewcomer ? 'newcomer' : hasRoster && claimsMembership(index) ? 'claimant' : 'confirmed';
      // About two of the people would be in the class of the demo account. These 25 show what a class looks like.
      const isClassmate = people >= 1_000 && index % 80 === 1;
      const invented = inventPerson(
        random,
        institution,
        lastYear,
        isDemo
          ? demoPerson(institution)
          : isNewcomer
            ? { ...demoClass(institution), gender: 'male', firstName: 'Chinedu', lastName: 'Okafor' }
            : isClassmate
              ? demoClass(institution)
              : {},
      );
      const email = isDemo
        ? demoAccount.email
        : isNewcomer
          ? newcomerAccount.email
          : isRepresentative
            ? staffAccounts['class-representative']
            : createEmail(invented, index);
      const { id } = await tx
        .insertInto('accounts')
        .values({
          email,
          email_verified: true,
          password_hash: isDemo || isNewcomer || isRepresentative ? passwordHash : '!',
          terms_version: termsVersion,
          terms_accepted_at: new Date(),
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const hasPicture = isDemo || random.chance(0.86);
      const own = pictures.filter(({ gender }) => gender === invented.gender);
      const picture = hasPicture && own.length > 0 ? random.pick(own) : null;
      const exposure = {
        visibility: isDemo || isNewcomer ? {} : { ...inventChoices(random), ...(index % 3 === 0 && showPlace) },
        isHidden: false,
        isIndexed: false,
        isDisabled: false,
        isHiddenByStaff: false,
        takesMessages: true,
        awaitsSignIn: false,
        awaitsConfirmation: membership !== 'confirmed',
        isMinor: !hasReachedAge(invented.dob, institution.adultAge, new Date()),
      };
      const help = isClassmate ? helpOf((index - 1) / 80) : undefined;
      const isPublic = findPictureAudience(exposure) === 'everyone';
      await savePerson(
        tx,
        {
          ...toColumns({ ...invented, imgURL: null }),
          // The demo account is asked where it works.
          ...(isDemo || isNewcomer ? emptyCareer : inventCareer(careerRandom, invented.yearGraduated, lastYear, help)),
          ...exposure,
          id,
          email,
          picture: (isPublic ? picture?.publicName : picture?.name) ?? null,
        },
        null,
      );
      if (isDemo) await addDemoNotifications(tx, id, invented.department);
      graduates.push({ ...invented, id, email, membership });
    }
    await sql`update profiles set career_saved_at = now() where positions <> '[]' or country <> '' or helps <> '{}'`.execute(
      tx,
    );
    if (institution.tracerReport)
      await addTracerAnswers(
        tx,
        careerRandom,
        graduates
          .filter(({ email }) => email !== demoAccount.email && email !== newcomerAccount.email)
          .map(({ id }) => id),
      );
    if (hasRoster) {
      await seedRoster(tx, context, graduates, { entries: rosterEntries, lastYear });
      await seedStaff(context, tx, graduates, { passwordHash, photos });
    }
    // The welcome page does not show members of the last 24 hours.
    for (const [table, column] of [
      ['listings', 'listed_at'],
      ['profiles', 'created_at'],
    ] as const)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = now() - interval '2 days'`.execute(tx);
  });
  if (hasRoster) await requestDemoExport(context);
}

async function addDemoNotifications(tx: Db, accountId: string, department: string): Promise<void> {
  const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
  // Notifications are about people who joined after the reader.
  await tx
    .updateTable('accounts')
    .set({ created_at: daysAgo(61) })
    .where('id', '=', accountId)
    .execute();
  await tx
    .insertInto('notifications')
    .values([
      { account_id: accountId, kind: 'joined', detail: department, count: 3, created_at: daysAgo(2) },
      { account_id: accountId, kind: 'welcome', detail: '', created_at: daysAgo(40), read_at: daysAgo(39) },
    ])
    .execute();
}

const demoClass = ({ colleges, firstYear }: Institution): Partial<InventedPerson> => ({
  ...(colleges.some(({ code, departments }) => code === 'COSIT' && departments.includes('Computer Science')) && {
    college: 'COSIT',
    department: 'Computer Science',
  }),
  ...(firstYear <= 2011 && { yearAdmitted: 2011, yearGraduated: 2015 }),
});

const demoPerson = (institution: Institution): Partial<InventedPerson> => ({
  ...demoClass(institution),
  ...(institution.titles.includes('mrs.') && { title: 'mrs.' }),
  gender: 'female',
  firstName: 'Tèmítọ́pẹ́',
  middleName: 'Adéọlá',
  lastName: 'Ògúnṣọlá',
  ...(institution.programs.includes('B.Sc') && { program: 'B.Sc' }),
  interest: 'Poetry, Local history',
  bio: 'Software developer in Ìbàdàn',
  fullBio:
    'My first program ran on a borrowed laptop in the hostel. The second one got me a job. I still owe half of what I know to the people who sat with me in the reading room.',
});

const createEmail = ({ firstName, lastName }: InventedPerson, index: number) =>
  canonicalizeEmail(`${fold(firstName)}.${fold(lastName)}.${index}@alumni.example`.replaceAll(' ', ''));

async function storePortraits(
  { media }: Context,
  random: Random,
  count: number,
): Promise<{ name: string; publicName: string; gender: string }[]> {
  const pictures = [];
  for (let index = 0; index < count; index++) {
    const gender = index % 2 === 0 ? 'female' : 'male';
    const name = await media.storePortrait(await paintPortrait(random, gender));
    pictures.push({ gender, name, publicName: await media.publish(await media.copy(name)) });
  }
  return pictures;
}
