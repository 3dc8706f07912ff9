import type { Call } from '#contract/call.ts';
import type { CareerDocument, OwnCareer, Position, PositionInput } from '#contract/careers.ts';
import { problemOf } from '#web/platform/api.ts';

export const changedElsewhere = 'Your career was changed in another tab or on another device';

export class CareerChangedElsewhere extends Error {
  readonly newer: OwnCareer;

  constructor(newer: OwnCareer) {
    super(changedElsewhere);
    this.newer = newer;
  }
}

export const toInputs = (positions: readonly Position[]): PositionInput[] =>
  positions.map(({ role, employer, field, from, to }) => ({ role, employer, field, from, to }));

/** The answers without the version, which other parts of the profile change too. */
const contentOf = ({ positions, city, cityId, country, helps, visibility }: OwnCareer): string =>
  JSON.stringify([positions, city, cityId, country, helps, visibility]);

/**
 * Saves changes of the career that was loaded as `base`. Without changes, the save confirms the positions.
 * @throws CareerChangedElsewhere, ApiError
 */
export async function saveCareer(
  call: Call,
  uid: string,
  base: OwnCareer,
  changes: Partial<CareerDocument> = {},
): Promise<OwnCareer> {
  const params = { id: uid };
  const { city, cityId, country, helps, version } = base;
  const body = { positions: toInputs(base.positions), city, cityId, country, helps, ...changes, version };
  try {
    return await call('PUT /api/users/{id}/career', { params, body });
  } catch (error) {
    if (problemOf(error).code !== 'profile-changed') throw error;
    const newer = await call('GET /api/users/{id}/career', { params });
    if (contentOf(newer) !== contentOf(base)) throw new CareerChangedElsewhere(newer);
    return saveCareer(call, uid, newer, changes);
  }
}
