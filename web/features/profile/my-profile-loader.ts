import type { LoaderFunctionArgs } from 'react-router';
import { type Audience, getEffectiveAudience } from '#contract/visibility.ts';
import { isMember } from '#web/domain/root-data.ts';
import { requireOnboarded } from '#web/domain/guards.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { problemOf } from '#web/platform/api.ts';
import { measureCompleteness } from './completeness.tsx';
import { loadOrFail } from './loader.ts';

export async function myProfileLoader(args: LoaderFunctionArgs) {
  const user = await requireOnboarded(args);
  const { uid } = user;
  const { call } = args.context.get(loaderServices);
  const requested = new URL(args.request.url).searchParams.get('as');
  const as = requested === 'everyone' || requested === 'members' ? requested : 'me';
  return loadOrFail(async () => {
    const [{ profile: stored, visibility, waiting }, { isHidden, isMinor }, career, profile] = await Promise.all([
      call('GET /api/users/{id}/document', { params: { id: uid } }),
      call('GET /api/users/{id}/privacy', { params: { id: uid } }),
      call('GET /api/users/{id}/career', { params: { id: uid } }),
      call('GET /api/users/{id}', { params: { id: uid }, query: { as } }).catch((error: unknown) => {
        if (problemOf(error).code === 'not-found') return null;
        throw error;
      }),
    ]);
    const nameAudience = getEffectiveAudience('name', visibility);
    const audience: Audience =
      isHidden || !isMember(user) ? 'me' : isMinor && nameAudience === 'everyone' ? 'members' : nameAudience;
    return {
      failed: false,
      profile,
      own: { as, visibility, audience, completeness: measureCompleteness(stored), waiting, career },
    };
  });
}
