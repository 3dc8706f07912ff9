import type { LoaderFunctionArgs } from 'react-router';
import type { RootData } from '#web/domain/root-data.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { readChoice } from '#web/domain/display-choices.ts';

export async function rootLoader({ context, request }: LoaderFunctionArgs): Promise<RootData> {
  const { user, institution } = context.get(loaderServices);
  // If the session request fails, the page itself still renders. Its lists show the error and TRY AGAIN.
  return {
    user: await user().catch(() => undefined),
    institution,
    sidebar: readChoice('sidebar', request),
    theme: readChoice('theme', request),
  };
}
