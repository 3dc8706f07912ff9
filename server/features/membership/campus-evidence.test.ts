import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { Affiliation } from '#contract/campus.ts';
import { type CampusIdentity, hashIdentity } from '#server/domain/campus-arrival.ts';
import { resetRateLimits } from '#server/platform/limits/rate-limits.ts';
import { createRandom } from '#server/seed/random.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import { campusDomain, putArrival, writeCampusSettings } from '#server/testing/campus.ts';
import type { Device } from '#server/testing/device.ts';
import { addEntryOf, enterConfirmedMode, namesake } from '#server/testing/membership.ts';
import { createClaim, createEntry } from '#server/testing/roster.ts';
import { createStaff } from '#server/testing/staff.ts';
import { findCampusEvidence } from './campus-evidence.ts';
import { reviewOpenClaims } from './claims.ts';

const issuer = 'https://login.oue.edu.ng';
const thisYear = new Date().getUTCFullYear();

describe('findCampusEvidence', () => {
  const claim = createClaim();
  const identity = { firstName: 'Sade', lastName: 'Adeyemi', affiliation: 'alum' } as const;
  const entry = { ...createEntry(), heldBy: null };
  const find = (changed: Partial<Parameters<typeof findCampusEvidence>[0]> = {}) =>
    findCampusEvidence({
      claim,
      identity,
      email: 'sade@oue.edu.ng',
      domains: [campusDomain],
      entries: [entry],
      isAddressOnRoster: false,
      classmates: [entry],
      ...changed,
    });
  const none = { entries: [], classmates: [] };

  test('links the entry that agrees', () => {
    expect(find()).toEqual({ entryId: 1 });
    expect(find({ entries: [{ ...entry, birthDate: null }] })).toEqual({ entryId: 1 });
    expect(find({ entries: [{ ...entry, email: 'private@mail.example', heldBy: 'moderate' }] })).toEqual({
      entryId: 1,
    });
  });

  test.each([
    ['several entries', [entry, { ...entry, id: 2 }]],
    ['a restricted entry', [{ ...entry, needsStaff: true }]],
    ['an entry that another account holds by strong evidence', [{ ...entry, heldBy: 'strong' as const }]],
    ['another birth date', [{ ...entry, birthDate: '1995-04-13' }]],
    ['another address of the university', [{ ...entry, email: 'namesake@oue.edu.ng' }]],
    ['another name', [{ ...entry, lastName: 'BELLO' }]],
    ['another department', [{ ...entry, department: 'Physics' }]],
    ['another year', [{ ...entry, yearGraduated: 2018 }]],
    ['an unknown year', [{ ...entry, yearGraduated: null }]],
  ])('leaves %s to staff', (_, entries) => {
    expect(find({ entries })).toBeNull();
  });

  test.each([
    ['no affiliation', { affiliation: null }],
    ['another name', { lastName: 'Bello' }],
    ['no name', { firstName: '', lastName: '' }],
  ])('leaves a claim to staff if the provider returns %s', (_, change) => {
    for (const more of [{}, none]) expect(find({ identity: { ...identity, ...change }, ...more })).toBeNull();
  });

  test.each<[Affiliation, number, boolean]>([
    ['student', thisYear + 2, true],
    ['student', thisYear - 1, true],
    ['student', thisYear - 2, false],
    ['alum', thisYear, true],
    ['alum', 1990, true],
    ['alum', thisYear + 1, false],
  ])('without an entry, confirms a %s of the class of %i: %s', (affiliation, yearGraduated, isConfirmed) => {
    const found = find({ ...none, claim: { ...claim, yearGraduated }, identity: { ...identity, affiliation } });
    expect(found).toEqual(isConfirmed ? { entryId: null } : null);
  });

  test('leaves a person who may be on the roster under another number or address to staff', () => {
    expect(find({ ...none, classmates: [entry] })).toBeNull();
    expect(find({ ...none, isAddressOnRoster: true })).toBeNull();
    expect(find({ ...none, claim: { ...claim, matricNumber: '' } })).toBeNull();
  });

  test('links none of 20,000 claimants to another person’s entry, even if impostors know all of its data', () => {
    const random = createRandom(36);
    const pick = <Value>(values: readonly Value[]): Value => random.pick(values);
    const [firsts, lasts] = [
      ['Ada', 'Sade', 'Ngozi', 'Bola', 'Uche'],
      ['Okafor', 'Adeyemi', 'Bello', 'Eze', 'Musa'],
    ];
    const people = Array.from({ length: 400 }, (_, id) =>
      createEntry({
        id,
        matricKey: `M${id}`,
        firstName: pick(firsts),
        lastName: pick(lasts),
        birthDate: id % 10 === 0 ? null : `19${70 + (id % 29)}-0${1 + (id % 9)}-1${id % 9}`,
        department: pick(['Physics', 'History']),
        yearGraduated: 1990 + (id % 7),
        email: id % 3 === 0 ? `person${id}@oue.edu.ng` : null,
      }),
    );
    const counts = { linked: 0, wrong: 0 };
    for (let count = 0; count < 20_000; count++) {
      const [self, target] = [pick(people), pick(people)];
      const kind = count % 5;
      // True claimants, and impostors who type the number, also the birth date, also the class, also the names of
      // another.
      const shown = kind === 0 ? self : target;
      const claimed = createClaim({
        matricNumber: kind === 0 ? self.matricKey : target.matricKey,
        dob: (kind >= 2 ? shown : self).birthDate ?? '1980-02-02',
        department: (kind >= 3 ? shown : self).department ?? '',
        yearGraduated: (kind >= 3 ? shown : self).yearGraduated ?? 0,
        firstName: (kind === 4 ? shown : self).firstName,
        lastName: (kind === 4 ? shown : self).lastName,
      });
      // The provider says who the person is, whatever they type.
      const said = { ...identity, firstName: self.firstName, lastName: self.lastName };
      const email = `person${self.id}@oue.edu.ng`;
      const entries = people
        .filter(
          (one) => one.matricKey === claimed.matricNumber || (one.email === email && one.birthDate === claimed.dob),
        )
        .map((one) => ({ ...one, heldBy: null }));
      const found = find({ claim: claimed, identity: said, email, entries, classmates: people });
      if (found?.entryId === self.id) counts.linked++;
      // Namesakes of one class are one person to everyone who does not know the birth date.
      else if (found && found.entryId !== null && !isNamesake(self, target)) counts.wrong++;
    }
    expect(counts.wrong).toBe(0);
    expect(counts.linked).toBeGreaterThan(3_000);
  });

  const isNamesake = (a: ReturnType<typeof createEntry>, b: ReturnType<typeof createEntry>) =>
    [...`${a.firstName} ${a.lastName}`].toSorted().join('') === [...`${b.firstName} ${b.lastName}`].toSorted().join('');
});

describe('POST /api/membership/campus', () => {
  let archive: TestArchive;
  let removeSettings: () => void;
  beforeAll(async () => {
    const { environment, remove } = writeCampusSettings(issuer);
    removeSettings = remove;
    archive = await openArchive(inject('databases'), environment);
    await enterConfirmedMode(archive);
  });
  beforeEach(() => resetRateLimits(archive.context.db));
  afterAll(async () => {
    await archive.close();
    removeSettings();
  });

  let subjects = 0;

  const identityOf = ({ document }: Pick<Member, 'document'>, more: Partial<CampusIdentity> = {}): CampusIdentity => {
    subjects++;
    const subject = `subject-${subjects}`;
    const email = `${subject}@${campusDomain}`;
    return {
      issuer,
      subject,
      email,
      firstName: document.name.first,
      lastName: document.name.last,
      affiliation: 'alum',
      ...more,
    };
  };

  const arrive = (device: Device, identity: CampusIdentity) => putArrival(archive, device, identity);

  async function connect(member: Member, identity: CampusIdentity): Promise<void> {
    await archive.pool.query(
      'insert into campus_identities (account_id, issuer, subject, email) values ($1, $2, $3, $4)',
      [member.uid, issuer, identity.subject, identity.email],
    );
    await arrive(member.device, identity);
  }

  const claim = async ({ device }: Pick<Member, 'device'>) => (await device.call('POST /api/membership/campus')).status;

  const linkOf = async ({ uid }: Member) =>
    (
      await archive.pool.query<{ id: number }>('select entry_id::int as id from roster_links where account_id = $1', [
        uid,
      ])
    ).rows[0]?.id;

  const createGraduate = () => archive.createMember({ ...namesake, lastName: `Okafor${letters(++subjects)}` });
  const letters = (count: number) => [...String(count)].map((digit) => 'abcdefghij'[Number(digit)]).join('');

  test('confirms and links the entry of the person, which then counts for vouching', async () => {
    const member = await createGraduate();
    const entryId = await addEntryOf(archive, member);
    await connect(member, identityOf(member));
    expect(await member.device.call('GET /api/identity/campus/arrival')).toMatchObject({ next: 'confirm' });
    expect(await claim(member)).toBe('confirmed');
    expect(await linkOf(member)).toBe(entryId);
    expect(await member.device.call('GET /api/identity/campus/arrival')).toMatchObject({ next: 'done' });
    expect((await member.device.call('GET /api/membership')).evidence).toMatchObject([{ kind: 'campus-sign-on' }]);
    expect(await claim(member)).toBe('confirmed');
  });

  test('finds the entry by the campus address and the birth date too', async () => {
    const member = await createGraduate();
    const identity = identityOf(member);
    const entryId = await addEntryOf(archive, member, {
      matric_number: `OTHER/${subjects}`,
      matric_key: `OTHER${subjects}`,
      email: identity.email,
    });
    await connect(member, identity);
    expect(await claim(member)).toBe('confirmed');
    expect(await linkOf(member)).toBe(entryId);
  });

  test('confirms without an entry if none is of the person, and holds name and class', async () => {
    const member = await createGraduate();
    await connect(member, identityOf(member));
    expect(await claim(member)).toBe('confirmed');
    expect(await linkOf(member)).toBeUndefined();
    const { document } = member;
    await member.device.call('PUT /api/users/{id}', {
      params: { id: member.uid },
      body: { ...document, imgURL: null, version: 'any', name: { ...document.name, last: 'Impostor' } },
    });
    const { rows } = await archive.pool.query('select last_name from profiles where account_id = $1', [member.uid]);
    expect(rows).toEqual([{ last_name: document.name.last }]);
  });

  test('waits for staff without an affiliation, and shows them what the university said', async () => {
    const member = await createGraduate();
    await addEntryOf(archive, member);
    await connect(member, identityOf(member, { affiliation: null, lastName: 'Bello' }));
    expect(await claim(member)).toBe('waiting');
    const { rows } = await archive.pool.query<{ typed: object }>('select typed from claims where account_id = $1', [
      member.uid,
    ]);
    expect(rows[0]?.typed).toMatchObject({ campus: { affiliation: null, areNamesSame: false } });
    expect(JSON.stringify(rows)).not.toContain('Bello');
    expect(await member.device.call('GET /api/membership')).toMatchObject({ status: 'unconfirmed', isWaiting: true });
  });

  test('shows staff the accounts that claimed with the same university account, also after another claim', async () => {
    const first = await createGraduate();
    const identity = identityOf(first);
    await connect(first, identity);
    expect(await claim(first)).toBe('confirmed');
    await archive.pool.query('delete from campus_identities where account_id = $1', [first.uid]);
    const second = await archive.createMember({ ...namesake, department: 'English' });
    await connect(second, identity);
    expect(await claim(second)).toBe('waiting');
    const third = await archive.createMember({ ...namesake, department: 'English' });
    await connect(third, identityOf(third, { affiliation: null }));
    expect(await claim(third)).toBe('waiting');

    const registrar = await createStaff(archive, 'registrar');
    const limited = await createStaff(archive, 'registrar', { college: 'COHUM' });
    const read = async ({ device }: Pick<Member, 'device'>, { uid }: Member) => {
      const { rows } = await archive.pool.query<{ id: string }>('select id from claims where account_id = $1', [uid]);
      const response = await device.call('GET /api/staff/claims/{id}', { params: { id: rows[0]?.id ?? '' } });
      expect(JSON.stringify(response)).not.toContain(hashIdentity(identity).toString('hex'));
      return response;
    };
    const found = {
      id: first.uid,
      name: `${first.document.name.last} ${first.document.name.first}`,
      email: first.email,
    };
    expect(await read(registrar, second)).toMatchObject({
      campus: { affiliation: 'alum', areNamesSame: false },
      sharesCampusAccountWith: [found],
    });
    expect((await read(limited, second)).sharesCampusAccountWith).toEqual([null]);
    expect((await read(registrar, third)).sharesCampusAccountWith).toEqual([]);
    // A claim of a person without campus sign-on replaces the open one.
    await second.device.call('POST /api/membership/claims', { body: { matricNumber: 'X/2', dob: '1980-01-02' } });
    expect((await read(registrar, second)).sharesCampusAccountWith).toEqual([found]);
    expect((await read(registrar, first)).sharesCampusAccountWith).toMatchObject([{ id: second.uid }]);
  });

  test('decides only the first claim of an account', async () => {
    const member = await createGraduate();
    await addEntryOf(archive, member);
    await member.device.call('POST /api/membership/claims', { body: { matricNumber: 'X/1', dob: '1980-01-02' } });
    await member.device.call('DELETE /api/membership/claims');
    await connect(member, identityOf(member));
    expect(await claim(member)).toBe('waiting');
  });

  test('confirms one account for each university account, also after it was disconnected', async () => {
    const first = await createGraduate();
    const identity = identityOf(first);
    await connect(first, identity);
    expect(await claim(first)).toBe('confirmed');
    await archive.pool.query('delete from campus_identities where account_id = $1', [first.uid]);
    const second = await archive.createMember({ ...namesake, lastName: first.document.name.last, yearGraduated: 2009 });
    await connect(second, identity);
    expect(await claim(second)).toBe('waiting');
    await first.device.call('POST /api/identity/reauthenticate', { body: { password: first.password } });
    await first.device.call('DELETE /api/membership/evidence');
    const third = await archive.createMember({ ...namesake, lastName: first.document.name.last, yearGraduated: 2008 });
    await archive.pool.query('delete from campus_identities where account_id = $1', [second.uid]);
    await connect(third, identity);
    expect(await claim(third)).toBe('confirmed');
  });

  test('confirms one of eight accounts that send the same answer at once', async () => {
    const lastName = `Okafor${letters(++subjects)}`;
    const members: Member[] = [];
    for (let count = 0; count < 8; count++)
      members.push(
        await archive.createMember({ ...namesake, lastName, yearGraduated: 2000 + count, yearAdmitted: 1990 }),
      );
    const [first] = members;
    if (!first) throw new Error('There is no member.');
    const identity = identityOf(first);
    await connect(first, identity);
    for (const { device } of members) await arrive(device, identity);
    const answers = await Promise.all(members.map(({ device }) => device.ask('POST /api/membership/campus')));
    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array<number>(7).fill(403),
    ]);
    const { rows } = await archive.pool.query(
      `select from accounts where membership_status = 'confirmed' and id = any($1)`,
      [members.map(({ uid }) => uid)],
    );
    expect(rows).toHaveLength(1);
  });

  test('needs the connected university account, and an answer of the last ten minutes', async () => {
    const member = await createGraduate();
    expect(await member.device.code('POST /api/membership/campus')).toBe('auth/sign-in-expired');
    await arrive(member.device, identityOf(member));
    expect(await member.device.code('POST /api/membership/campus')).toBe('permission-denied');
    await connect(member, identityOf(member));
    await arrive(member.device, identityOf(member));
    expect(await member.device.code('POST /api/membership/campus')).toBe('permission-denied');
  });

  test('confirms nothing if the institution does not accept it', async () => {
    const member = await createGraduate();
    await addEntryOf(archive, member);
    await connect(member, identityOf(member));
    const { acceptedEvidence } = archive.context.institution;
    Object.assign(archive.context.institution, { acceptedEvidence: ['staff-review'] });
    expect(await claim(member)).toBe('waiting');
    Object.assign(archive.context.institution, { acceptedEvidence });
  });

  test('confirms no more than three accounts by one campus address', async () => {
    const email = `reused@${campusDomain}`;
    const statuses = [];
    for (let count = 0; count < 4; count++) {
      const member = await createGraduate();
      await connect(member, identityOf(member, { email }));
      statuses.push(await claim(member));
    }
    expect(statuses).toEqual(['confirmed', 'confirmed', 'confirmed', 'waiting']);
  });

  test('leaves namesakes of an entry to staff, also if first and last name are the same word', async () => {
    const member = await archive.createMember({ ...namesake, firstName: 'Musa', lastName: 'Musa' });
    const other = { matric_number: 'NAMESAKE/1', matric_key: 'NAMESAKE1', birth_date: '1971-03-04' };
    await addEntryOf(archive, member, other);
    await connect(member, identityOf(member));
    expect(await claim(member)).toBe('waiting');
  });

  test('counts the claims of a mailbox also if its university account has confirmed another account', async () => {
    const first = await createGraduate();
    const identity = identityOf(first);
    // The last one has the address of an entry, and may have found the birth date by trying.
    const addresses = ['first', '+1', '+2', '+3', ''].map((part) => `shared${part}@mail.example`);
    const statuses = [];
    for (const email of addresses) {
      const member = await archive.createMember({
        ...namesake,
        lastName: first.document.name.last,
        yearGraduated: 2011,
      });
      await archive.pool.query('update accounts set email = $2 where id = $1', [member.uid, email]);
      await archive.pool.query('delete from campus_identities');
      await connect(member, identity);
      statuses.push(await claim(member));
      if (email !== addresses.at(-1)) continue;
      await addEntryOf(archive, member, { email });
      await reviewOpenClaims(archive.context, { signal: AbortSignal.timeout(60_000) });
      const { status } = await member.device.call('GET /api/membership');
      expect([...statuses, status]).toEqual(['confirmed', 'waiting', 'waiting', 'waiting', 'waiting', 'unconfirmed']);
    }
  });

  test('without an entry, does not let a member vouch', async () => {
    const without = await createGraduate();
    await connect(without, identityOf(without));
    const linked = await createGraduate();
    await addEntryOf(archive, linked);
    await connect(linked, identityOf(linked));
    expect([await claim(without), await claim(linked)]).toEqual(['confirmed', 'confirmed']);
    await archive.pool.query(`update evidence set created_at = created_at - interval '8 days'`);
    await archive.pool.query(`update accounts set confirmed_at = confirmed_at - interval '8 days'`);
    const { isLongConfirmed } = await import('#server/domain/membership/vouch-rules.ts');
    const rows = await archive.context.db
      .selectFrom('accounts as v')
      .select('id')
      .where('id', 'in', [without.uid, linked.uid])
      .where(isLongConfirmed)
      .execute();
    expect(rows.map(({ id }) => id)).toEqual([linked.uid]);
  });
});
