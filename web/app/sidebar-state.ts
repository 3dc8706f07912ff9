export type SidebarState = 'expanded' | 'collapsed';

/** A cookie, because the server has to draw the right width: from the browser's own storage it would jump. */
const name = 'sidebar';

export function readSidebar(request: Request): SidebarState {
  const cookies = typeof document === 'undefined' ? (request.headers.get('cookie') ?? '') : document.cookie;
  return cookies.split('; ').includes(`${name}=collapsed`) ? 'collapsed' : 'expanded';
}

export function saveSidebar(state: SidebarState): void {
  document.cookie = `${name}=${state}; path=/; max-age=31536000; samesite=lax`;
}
