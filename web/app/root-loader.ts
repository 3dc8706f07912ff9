import type { LoaderFunctionArgs } from 'react-router';
import type { RootData } from '../domain/root-data.ts';
import { loaderServices } from '../platform/loader-services.ts';
import { readSidebar } from './sidebar-state.ts';

export async function rootLoader({ context, request }: LoaderFunctionArgs): Promise<RootData> {
  const { user, institution } = context.get(loaderServices);
  // A server that is away shows in the lists, with TRY AGAIN; the page around them stands.
  return { user: await user().catch(() => undefined), institution, sidebar: readSidebar(request) };
}
