import type { FastifyInstance } from 'fastify';
import type { Profile } from '#contract/profile.ts';
import type { Principal } from '#server/domain/accounts/authentication.ts';
import { createBatchLoader } from '#server/db/batch.ts';
import type { Context } from '#server/domain/context.ts';
import { describeChange, findOpenChange } from '#server/domain/membership/identity-changes.ts';
import { haveBlock } from '#server/domain/people/blocks.ts';
import { findPerson, findPersons } from '#server/domain/people/people.ts';
import type { Session } from '#server/domain/accounts/sessions.ts';
import {
  type Person,
  type Viewer,
  toListingAudience,
  toProfile,
  toStoredProfile,
} from '#server/domain/people/visibility.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { dismissCareerQuestion, findOwnCareer, saveCareer } from './save-career.ts';
import { savePrivacy, saveProfile } from './save-profile.ts';
import { findIncompleteProfile } from './incomplete-profile.ts';

export function profileRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication, browsingLimiter, institution } = context;

  const profileFor = (person: Person | null, viewer: Viewer): Profile | null =>
    person && toProfile(person, viewer, institution);
  const show = (person: Person | null, viewer: Viewer): Profile => {
    const profile = profileFor(person, viewer);
    // Same response for a hidden person and one who does not exist.
    if (!profile) throw new ProblemError('not-found');
    return profile;
  };

  const requireOwnPerson = async (session: Session, id: string) => {
    requireOwn(session, id);
    const person = await findPerson(db, id);
    if (!person) throw new ProblemError('not-found');
    return person;
  };

  const loadPerson = createBatchLoader(
    async (ids) => new Map((await findPersons(db, ids)).map((person) => [person.id, person])),
  );
  mount(app, 'GET /api/users/{id}', async ({ params, query }, exchange) => {
    const principal = await authentication.authenticate(exchange);
    const viewer = toViewer(principal, params.id);
    const stored = (await loadPerson(params.id)) ?? null;
    // Help offers are hidden as when messages are disabled, so that no one can detect a block.
    const isBlocked =
      viewer === 'members' &&
      stored?.helps.length &&
      principal &&
      (await haveBlock(db, principal.account.id, params.id));
    const person = stored && isBlocked ? { ...stored, takesMessages: false } : stored;
    if (viewer === 'me') return show(person, query.as ?? 'me');
    await browsingLimiter.count(profileFor(person, viewer) ? 'profiles' : 'missing', exchange);
    return show(person, viewer);
  });
  mount(app, 'GET /api/users/{id}/document', async ({ params }, { session }) => {
    const person = await requireOwnPerson(session, params.id);
    const change = await findOpenChange(db, params.id);
    return {
      profile: toStoredProfile(person, institution),
      visibility: person.visibility,
      version: person.version,
      waiting: change && describeChange(change),
    };
  });
  mount(app, 'GET /api/users/{id}/unfinished', async ({ params }, { session }) => {
    requireOwn(session, params.id);
    return { fields: (await findIncompleteProfile(db, params.id)) ?? {} };
  });
  mount(app, 'PUT /api/users/{id}', async ({ params, body }, { session }) => {
    requireOwn(session, params.id);
    const person = await saveProfile(context, session, body);
    return { ...toStoredProfile(person, institution), version: person.version };
  });
  mount(app, 'GET /api/users/{id}/privacy', async ({ params }, { session }) => requireOwnPerson(session, params.id));
  mount(app, 'PUT /api/users/{id}/privacy', async ({ params, body }, { session }) => {
    requireOwn(session, params.id);
    return savePrivacy(context, session, body);
  });
  mount(app, 'GET /api/users/{id}/career', async ({ params }, { session }) => {
    requireOwn(session, params.id);
    return findOwnCareer(context, params.id);
  });
  mount(app, 'PUT /api/users/{id}/career', async ({ params, body }, { session }) => {
    requireOwn(session, params.id);
    await saveCareer(context, session, body);
    return findOwnCareer(context, params.id);
  });
  mount(app, 'POST /api/users/{id}/career/dismissal', async ({ params }, { session }) => {
    requireOwn(session, params.id);
    await dismissCareerQuestion(context, params.id);
  });
}

const toViewer = (principal: Principal, id: string): Viewer =>
  principal?.account.id === id ? 'me' : toListingAudience(principal?.account);

function requireOwn({ account }: Session, id: string): void {
  if (account.id !== id) throw new ProblemError('permission-denied', { detail: 'This is not your profile.' });
}
