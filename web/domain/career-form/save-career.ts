import type { Call } from '#contract/call.ts';
import type { CareerDocument, OwnCareer } from '#contract/careers.ts';

/** Saves changes of the loaded career. Without changes, the save confirms the positions. @throws ApiError */
export function saveCareer(
  call: Call,
  id: string,
  { positions: stored, city, cityId, country, helps, version }: OwnCareer,
  changes: Partial<CareerDocument> = {},
): Promise<OwnCareer> {
  const positions = stored.map(({ role, employer, field, from, to }) => ({ role, employer, field, from, to }));
  const body = { positions, city, cityId, country, helps, ...changes, version };
  return call('PUT /api/users/{id}/career', { params: { id }, body });
}
