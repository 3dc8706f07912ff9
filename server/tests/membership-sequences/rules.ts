import type { CardPage } from '#contract/directory.ts';
import { maxCardsPerPage } from '#contract/page-sizes.ts';
import type { Identity } from '#server/db/schema.ts';
import type { TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { RuleBroken, addEmailGround, expectOnlyOwnEntry } from './actions.ts';
import { type Account, type World, describe, isSamePerson } from './worlds.ts';

export async function expectRules(
  archive: TestArchive,
  worlds: readonly World[],
): Promise<{ world: World; error: Error } | null> {
  archive.context.listCache.clear();
  const confirmed = await findConfirmed(archive);
  const views = [
    ['guests', await readList(archive.openDevice())],
    ['members', await readList(await findReader(worlds))],
  ] as const;
  for (const world of worlds)
    for (const account of [...world.claimants, ...world.vouchers]) {
      const shown = views.flatMap(([viewers, list]) => {
        const card = list.get(account.uid);
        return card ? [{ viewers, card }] : [];
      });
      try {
        account.isListed = shown.length > 0;
        account.hasBeenListed ||= account.isListed;
        for (const { viewers, card } of shown) {
          expectConfirmed(viewers, card, confirmed.get(account.uid));
          expectGround(world, account, card);
          expectTrue(account, card);
        }
      } catch (error) {
        return { world, error: new RuleBroken(`${account.name}: ${(error as Error).message}`, { cause: error }) };
      }
    }
  return null;
}

/**
 * (b) Downloads the data of each account that has been confirmed and has no entry that it may read.
 * @returns the first broken rule, or null
 */
export async function expectNoOtherEntry(worlds: readonly World[]): Promise<{ world: World; error: Error } | null> {
  for (const world of worlds)
    for (const account of world.claimants)
      if (account.hasBeenListed && !account.grounds.some(({ entry, canRead }) => entry !== null && canRead))
        try {
          await expectOnlyOwnEntry(world, account);
        } catch (error) {
          return { world, error: error as Error };
        }
  return null;
}

/** (a) Whatever others see of a confirmed account agrees with its confirmed identity. */
function expectConfirmed(viewers: string, shown: Identity, confirmed: Identity | undefined): void {
  if (!confirmed || !isSamePerson(shown, confirmed))
    throw new RuleBroken(
      `(a) ${viewers} see ${describe(shown)}, confirmed is ${confirmed ? describe(confirmed) : 'no one'}`,
    );
}

/** (c) The account is confirmed as the person who uses it, or as whom staff accepted. */
function expectTrue({ human, accepted }: Account, shown: Identity): void {
  if (![human.person, ...accepted].some((person) => isSamePerson(shown, person)))
    throw new RuleBroken(`(c) ${human.name} is confirmed as ${describe(shown)}`);
}

/** (d) Something that was not withdrawn confirms the account. */
function expectGround(world: World, account: Account, shown: Identity): void {
  account.profile = shown;
  if (account.grounds.length > 0 || addEmailGround(world, account, shown)) return;
  const vouches = [...account.vouches.values()].filter((seen) => isSamePerson(seen, shown));
  if (vouches.length < 2)
    throw new RuleBroken(`(d) is confirmed as ${describe(shown)}, but nothing that counts confirms it`);
  account.grounds.push({ kind: 'vouches', entry: null, canRead: true });
}

async function readList(device: Device): Promise<Map<string, Identity>> {
  const cards = new Map<string, Identity>();
  for (let after: string | null = ''; after !== null;) {
    const { items, next }: CardPage = await device.call('GET /api/users', {
      query: { limit: maxCardsPerPage, ...(after !== '' && { after }) },
    });
    for (const { id, name, department = null, yearGraduated = null } of items)
      cards.set(id, { firstName: name, lastName: '', department, yearGraduated });
    after = next;
  }
  return cards;
}

async function findConfirmed({ pool }: TestArchive): Promise<Map<string, Identity>> {
  const { rows } = await pool.query<Identity & { id: string }>(
    `select account_id as id, first_name as "firstName", last_name as "lastName", department, year_graduated as "yearGraduated"
     from confirmed_identities where ended_at is null`,
  );
  return new Map(rows.map(({ id, ...identity }) => [id, identity]));
}

async function findReader([world]: readonly World[]): Promise<Device> {
  const reader = world?.vouchers[1];
  if (!reader) throw new Error('There is no world.');
  return reader.device;
}
