import type { LoaderFunctionArgs } from 'react-router';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { type ReviewData, isReviewKind, itemOfKey, loadItem } from './review-items.ts';

export async function loadReview({ context, request }: LoaderFunctionArgs, key: string | null): Promise<ReviewData> {
  const { call } = context.get(loaderServices);
  const params = new URL(request.url).searchParams;
  const asked = params.get('kind');
  const text = (name: string) => params.get(name)?.trim() || undefined;
  const hideAsked = params.has('hideAsked') ? ('yes' as const) : undefined;
  const kind = isReviewKind(asked) ? asked : undefined;
  const filter = { kind, name: text('name'), department: text('department'), hideAsked };
  const state = params.get('state') === 'decided' ? 'decided' : 'open';
  const item = key === null ? null : itemOfKey(key);
  const [queue, { colleges }, opened] = await Promise.all([
    call('GET /api/staff/queue', { query: { state, ...filter } }),
    call('GET /api/institution'),
    item &&
      loadItem(call, item).catch((error: unknown) => {
        if (problemOf(error).status === 404) return null;
        throw error;
      }),
  ]);
  const departments = [...new Set(colleges.flatMap((college) => college.departments))];
  return { queue, state, filter, departments, opened };
}
