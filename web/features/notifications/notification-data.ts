import { type LoaderFunctionArgs, data } from 'react-router';
import type { NotificationPage } from '#contract/notifications.ts';
import { requireMember } from '../../domain/guards.ts';
import { loaderServices } from '../../platform/loader-services.ts';

export type NotificationData = { readonly failed: false; readonly first: NotificationPage } | { readonly failed: true };

export async function notificationLoader(args: LoaderFunctionArgs) {
  await requireMember(args);
  try {
    const first = await args.context.get(loaderServices).call('GET /api/notifications', { query: {} });
    return { failed: false, first } satisfies NotificationData;
  } catch {
    return data<NotificationData>({ failed: true }, { status: 503 });
  }
}
