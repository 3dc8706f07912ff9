import { useEffect, useRef, useState } from 'react';
import { Outlet, ScrollRestoration, useLocation, useMatches, useNavigate, useRevalidator } from 'react-router';
import { isRedirectToastKey, redirectToasts } from '#web/domain/redirect-toasts.ts';
import { type RootData, useRootData } from '#web/domain/root-data.ts';
import { onSessionChange } from '#web/domain/session.ts';
import { isPageHandle, titleOf } from '#web/platform/page-handle.ts';
import { toast } from '#web/ui/toasts.ts';
import { runWhenIdle } from '#web/platform/when-idle.ts';
import { LoadingText } from './loading.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { Shell } from './shell.tsx';

export function Root() {
  const matches = useMatches();
  const { institution, user } = useRootData();
  const title = titleOf(matches, institution.abbreviation);
  useEffect(() => {
    document.title = title;
  }, [title]);
  useFocusOnNewPage();
  useRedirectToast();
  // `early-clicks.ts` replays a captured click on this event.
  useEffect(() => void dispatchEvent(new Event('live')), []);
  useBackground(user, institution.tokenSync);
  const account = useAccountKey(user?.uid);

  const handle = matches.findLast((match) => isPageHandle(match.handle))?.handle;
  const isBare = isPageHandle(handle) && handle.frame === 'bare';
  return (
    <>
      <ScrollRestoration />
      <LoadingText />
      <OfflineBanner />
      {isBare ? (
        <Outlet key={account} />
      ) : (
        <Shell>
          <Outlet key={account} />
        </Shell>
      )}
    </>
  );
}

/**
 * Returns a React key that changes when another account signs in. Pages keep the input of one user, and must not show
 * it to the next.
 */
function useAccountKey(uid: string | undefined): number {
  const [last, setLast] = useState({ uid, key: 0 });
  if (uid === undefined || uid === last.uid) return last.key;
  const key = last.uid === undefined ? last.key : last.key + 1;
  setLast({ uid, key });
  return key;
}

/** Moves the focus to the heading of a new page, unless the user is typing. The clicked link may no longer exist. */
function useFocusOnNewPage(): void {
  const { pathname } = useLocation();
  const lastPathname = useRef(pathname);
  useEffect(() => {
    if (lastPathname.current === pathname) return;
    lastPathname.current = pathname;
    const heading = document.querySelector<HTMLElement>('h1');
    if (!heading || document.activeElement instanceof HTMLInputElement) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }, [pathname]);
}

function useRedirectToast(): void {
  const location = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    const params = new URLSearchParams(location.search);
    const key = params.get('toast');
    if (key === null) return;
    if (isRedirectToastKey(key)) toast(redirectToasts[key].kind, redirectToasts[key].text);
    params.delete('toast');
    void navigate(
      { pathname: location.pathname, search: params.toString() },
      { replace: true, preventScrollReset: true },
    );
  }, [location, navigate]);
}

function useBackground(user: RootData['user'], tokenSync: string | undefined): void {
  const { revalidate } = useRevalidator();
  const navigate = useNavigate();
  useEffect(() => onSessionChange(() => void revalidate()), [revalidate]);
  useEffect(
    () =>
      runWhenIdle(
        () =>
          void import('./background.ts')
            .then(({ updateTasks }) => updateTasks(user, { revalidate, navigate }, tokenSync))
            .catch(() => 0)
            // Pictures below the viewport load from now on (`web/styles/main.css`), one round trip after replayed
            // clicks.
            .finally(() => (document.documentElement.dataset['hydrated'] = '')),
      ),
    [user, revalidate, navigate, tokenSync],
  );
}
