import type { Call } from '#contract/call.ts';
import type { CareerDocument, OwnCareer, Position, PositionInput } from '#contract/careers.ts';

export const toInputs = (positions: readonly Position[]): PositionInput[] =>
  positions.map(({ role, employer, field, from, to }) => ({ role, employer, field, from, to }));

/** Saves changes of the loaded career. Without changes, the save confirms the positions. @throws ApiError */
export function saveCareer(
  call: Call,
  id: string,
  { positions: stored, city, cityId, country, helps, version }: OwnCareer,
  changes: Partial<CareerDocument> = {},
): Promise<OwnCareer> {
  const body = { positions: toInputs(stored), city, cityId, country, helps, ...changes, version };
  return call('PUT /api/users/{id}/career', { params: { id }, body });
}
