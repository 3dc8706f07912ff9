import type { LoaderFunctionArgs } from 'react-router';
import type { Card, Facets } from '#contract/directory.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

export interface Welcome {
  readonly newest: readonly Pick<Card, 'id' | 'name' | 'thumb'>[];
  readonly members: number;
  readonly departments: number;
  readonly years: Facets['years'];
}

export async function welcomeLoader({ context }: LoaderFunctionArgs): Promise<Welcome | null> {
  const { call } = context.get(loaderServices);
  try {
    const [{ items }, { count, departments }, { years }] = await Promise.all([
      call('GET /api/users/newest'),
      call('GET /api/users/count', { query: {} }),
      call('GET /api/users/years', { query: {} }),
    ]);
    // The other fields would only make the page larger.
    const newest = items.map(({ id, name, thumb }) => ({ id, name, thumb }));
    return { newest, members: count, departments, years };
  } catch {
    return null;
  }
}
