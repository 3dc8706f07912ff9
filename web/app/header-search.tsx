import { useEffect, useRef } from 'react';
import { Form, useLocation, useNavigate, useNavigation } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { Icon } from '#web/ui/icon.tsx';

const searchDelayMs = 250;

/**
 * Shows the search field of the header (specification, section 2). A click opens the search page, where the field
 * searches as the user types. The query is in the URL; the field follows the URL unless the user is typing.
 */
export function HeaderSearch() {
  const { pathname, search } = useLocation();
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
    <Form role="search" action={paths.search} onSubmit={cancelSearch} className="header-search">
      <Icon name="search" />
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
        className="control"
      />
    </Form>
  );
}
