import { type LoaderFunctionArgs, data } from 'react-router';
import type { NotificationPage } from '#contract/notifications.ts';
import { requireOnboarded } from '#web/domain/guards.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

/** `now`, in milliseconds, gives the server and the browser the same relative times. */
export type NotificationData =
  | { readonly failed: false; readonly first: NotificationPage; readonly now: number }
  | { readonly failed: true };

export async function notificationLoader(args: LoaderFunctionArgs) {
  await requireOnboarded(args);
  try {
    const first = await args.context.get(loaderServices).call('GET /api/notifications', { query: {} });
    return { failed: false, first, now: Date.now() } satisfies NotificationData;
  } catch {
    return data<NotificationData>({ failed: true }, { status: 503 });
  }
}
