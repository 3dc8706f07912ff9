import { type LoaderFunctionArgs, data } from 'react-router';
import type { MessagePage } from '#contract/contact.ts';
import { requireOnboarded } from '#web/domain/guards.ts';
import { loaderServices } from '#web/platform/loader-services.ts';

export type MessagesData = { readonly failed: false; readonly first: MessagePage } | { readonly failed: true };

export async function messagesLoader(args: LoaderFunctionArgs) {
  await requireOnboarded(args);
  try {
    const first = await args.context.get(loaderServices).call('GET /api/messages', { query: {} });
    return { failed: false, first } satisfies MessagesData;
  } catch {
    return data<MessagesData>({ failed: true }, { status: 503 });
  }
}
