import type { CookieName } from '#contract/cookies.ts';

export type SidebarState = 'expanded' | 'collapsed';

/**
 * Cookie with the state of the sidebar. The server reads the cookie and renders the correct width, so the layout does
 * not jump.
 */
const cookieName: CookieName = 'sidebar';

export function readSidebar(request: Request): SidebarState {
  const cookies = typeof document === 'undefined' ? (request.headers.get('cookie') ?? '') : document.cookie;
  return cookies.split('; ').includes(`${cookieName}=collapsed`) ? 'collapsed' : 'expanded';
}

export function saveSidebar(state: SidebarState): void {
  document.cookie = `${cookieName}=${state}; path=/; max-age=31536000; samesite=lax`;
}
