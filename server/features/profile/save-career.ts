import type { CareerDocument, OwnCareer } from '#contract/careers.ts';
import { helpKinds } from '#contract/career-values.ts';
import { careerFields } from '#contract/profile-fields.ts';
import { getEffectiveAudience } from '#contract/visibility.ts';
import { now } from '#server/db/client.ts';
import type { Session } from '#server/domain/accounts/sessions.ts';
import { findCityId, findPlaceProblem, inOrder } from '#server/domain/careers/incoming-career.ts';
import { findCity } from '#server/domain/careers/places.ts';
import { saveTracerAnswer } from '#server/domain/careers/tracer.ts';
import type { Context } from '#server/domain/context.ts';
import { findPersons, mergeChoices } from '#server/domain/people/people.ts';
import { fold } from '#server/domain/search/folding.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { replacePerson, requireVersion } from './save-profile.ts';

const dismissalDays = 90;

/**
 * Saves work, place and help offers. The owner has seen all positions in the form, so the save confirms them.
 * @throws ProblemError validation-failed with a pointer, profile-changed, not-found
 */
export async function saveCareer(context: Context, session: Session, document: CareerDocument): Promise<void> {
  const { institution } = context;
  const problem = findPlaceProblem(document);
  if (problem) throw new ProblemError('validation-failed', { errors: [problem] });
  await context.limiter.requireAttempt(context.db, 'profileByAccount', session.account.id);
  await replacePerson(context, session, null, async (before, { id }, _, tx) => {
    if (!before) throw new ProblemError('not-found');
    requireVersion(document.version, before);
    await tx.updateTable('profiles').set({ career_saved_at: now }).where('account_id', '=', id).execute();
    if (institution.tracerReport && document.tracer !== undefined) await saveTracerAnswer(tx, id, document.tracer);
    const confirmedOn = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
    // Many people type a city without choosing it from the suggestions.
    const cityId = document.cityId ?? findCityId(document.city, document.country);
    const city = cityId === null ? undefined : findCity(cityId);
    return {
      ...before,
      positions: inOrder(document.positions.map((position) => ({ ...position, confirmedOn }))),
      city: city && fold(city.name) !== fold(document.city) ? city.name : document.city,
      city_id: cityId,
      country: document.country,
      is_place_confirmed: true,
      helps: helpKinds.filter((help) => document.helps.includes(help)),
      visibility: mergeChoices(before.visibility, document.visibility),
    };
  });
}

export async function findOwnCareer({ db, institution }: Context, id: string): Promise<OwnCareer> {
  const [person] = await findPersons<Pick<OwnCareer, 'isAsked' | 'tracer'>>(
    db,
    [id],
    `(p.career_saved_at is null or p.positions @> '[{"confirmedOn": null}]')
       and coalesce(p.career_dismissed_at < now() - interval '${dismissalDays} days', true) as "isAsked",
     (select jsonb_build_object('activity', activity, 'inField', in_field)
      from tracer_answers where account_id = a.id) as tracer`,
  );
  if (!person) throw new ProblemError('not-found');
  const { positions, helps, visibility, tracer } = person;
  return {
    ...person,
    positions: [...positions],
    cityId: person.city_id,
    isPlaceConfirmed: person.is_place_confirmed,
    helps: [...helps],
    visibility: Object.fromEntries(careerFields.map((field) => [field, getEffectiveAudience(field, visibility)])),
    tracer: institution.tracerReport ? tracer : null,
    hasTracer: institution.tracerReport,
  };
}

export async function dismissCareerQuestion({ db }: Context, id: string): Promise<void> {
  await db.updateTable('profiles').set({ career_dismissed_at: now }).where('account_id', '=', id).execute();
}
