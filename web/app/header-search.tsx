import { useEffect, useRef } from 'react';
import { Form, useLocation, useNavigate, useNavigation } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { Icon } from '#web/ui/icon.tsx';

/** Debounce: typing a word sends one request. */
const searchDelayMs = 250;

const phoneRow = 'max-sm:order-last max-sm:mb-2 max-sm:w-full';

/** On other pages, phones show only the icon, which opens the search page. */
const phoneIcon = 'max-sm:ml-auto max-sm:w-11';

/** Without scripts, the search page does not open, so the focused field covers the header. */
const phoneCover =
  'max-sm:focus-within:absolute max-sm:focus-within:inset-x-4 max-sm:focus-within:z-10 max-sm:focus-within:w-auto';

/**
 * Shows the search field of the header (specification, section 2). A click opens the search page, where the field
 * searches as the user types. The query is in the URL; the field follows the URL unless the user is typing.
 */
export function HeaderSearch() {
  const { pathname, search } = useLocation();
  const isHydrated = useHydrated();
  const isSearchPage = pathname === paths.search;
  const query = isSearchPage ? (new URLSearchParams(search).get('q') ?? '') : '';
  const field = useRef<HTMLInputElement>(null);
  /** The id of the pending timer, 0 if none is pending, -1 before hydration. */
  const timer = useRef(-1);
  const navigate = useNavigate();

  const { location: next } = useNavigation();
  const isLeaving = next !== undefined && next.pathname !== paths.search;

  useEffect(() => {
    const isFirst = timer.current < 0;
    if (isFirst) timer.current = 0;
    // A trailing space is not a change: the user is about to type the next word.
    if (timer.current > 0 || !field.current || field.current.value.trim() === query) return;
    // The user typed before hydration.
    if (isFirst) field.current.form?.requestSubmit();
    else field.current.value = query;
  }, [query]);
  useEffect(() => {
    if (isSearchPage) field.current?.focus();
  }, [isSearchPage]);

  const cancelSearch = () => {
    clearTimeout(timer.current);
    timer.current = 0;
  };
  useEffect(() => {
    if (isLeaving) cancelSearch();
  }, [isLeaving]);
  useEffect(() => cancelSearch, []);

  const scheduleSearch = () => {
    cancelSearch();
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      const text = field.current?.value.trim() ?? '';
      void navigate(paths.search + (text && `?${new URLSearchParams({ q: text })}`), { replace: isSearchPage });
    }, searchDelayMs);
  };

  return (
    <Form
      role="search"
      action={paths.search}
      onSubmit={cancelSearch}
      className={`relative min-w-0 sm:grow lg:ml-8 lg:max-w-xl ${isSearchPage ? phoneRow : phoneIcon} ${isSearchPage || isHydrated ? '' : phoneCover}`}
    >
      <Icon name="search" className="pointer-events-none absolute top-3 left-3 size-5 text-ink-soft" />
      <input
        ref={field}
        type="search"
        name="q"
        aria-label="Search"
        placeholder="Search"
        autoComplete="off"
        defaultValue={query}
        onChange={scheduleSearch}
        onClick={() => isSearchPage || void navigate(paths.search)}
        className={`control bg-surface pl-10 ${isSearchPage ? '' : 'max-sm:not-focus:opacity-0'}`}
      />
    </Form>
  );
}
