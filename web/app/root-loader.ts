import type { LoaderFunctionArgs } from 'react-router';
import type { RootData } from '../domain/root-data.ts';
import { access } from '../platform/context.ts';
import { readSidebar } from './sidebar-state.ts';

export async function rootLoader({ context, request }: LoaderFunctionArgs): Promise<RootData> {
  const { user, institution } = context.get(access);
  // A server that is away shows in the lists, with TRY AGAIN; the page around them stands.
  return { user: await user().catch(() => undefined), institution, sidebar: readSidebar(request) };
}
