import { type LoaderFunctionArgs, data } from 'react-router';
import type { Notification } from '#contract/notifications.ts';
import { requireMember } from '../../domain/guards.ts';
import { access } from '../../platform/context.ts';

export type NotificationData =
  | { readonly failed: false; readonly notifications: readonly Notification[] }
  | { readonly failed: true };

export async function notificationLoader(args: LoaderFunctionArgs) {
  await requireMember(args);
  try {
    const { notifications } = await args.context.get(access).call('GET /api/notifications');
    return { failed: false, notifications } satisfies NotificationData;
  } catch {
    return data<NotificationData>({ failed: true }, { status: 503 });
  }
}
