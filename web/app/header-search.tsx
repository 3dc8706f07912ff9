import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, useNavigation } from 'react-router';
import { paths } from '../domain/paths.ts';
import { useGetForm } from '../platform/use-get-form.ts';
import { Icon } from '../ui/icon.tsx';

/** Milliseconds without a key before what is typed is looked up: a word is one request, not six. */
const searchDelayMs = 250;

/**
 * The search field of the header (specification, section 2): a press leads to the search page, where it takes the focus
 * and looks up what is typed. The address is what was asked; the field follows it, unless somebody is typing.
 */
export function HeaderSearch() {
  const { pathname, search } = useLocation();
  const isHere = pathname === paths.search;
  const asked = isHere ? (new URLSearchParams(search).get('q') ?? '') : '';
  const field = useRef<HTMLInputElement>(null);
  /** 0 while nothing is waited for, -1 until the page is live. */
  const timer = useRef(-1);
  const navigate = useNavigate();
  const submit = useGetForm();

  const { location: next } = useNavigation();
  const isLeaving = next !== undefined && next.pathname !== paths.search;

  useEffect(() => {
    const isFirst = timer.current < 0;
    if (isFirst) timer.current = 0;
    // A blank at the end is the beginning of the next word.
    if (timer.current > 0 || !field.current || field.current.value.trim() === asked) return;
    // Typed before the page was live.
    if (isFirst) field.current.form?.requestSubmit();
    else field.current.value = asked;
  }, [asked]);
  useEffect(() => {
    if (isHere) field.current?.focus();
  }, [isHere]);

  const stop = () => {
    clearTimeout(timer.current);
    timer.current = 0;
  };
  useEffect(() => {
    if (isLeaving) stop();
  }, [isLeaving]);
  useEffect(() => stop, []);

  const lookUpSoon = () => {
    stop();
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      const text = field.current?.value.trim() ?? '';
      void navigate(paths.search + (text && `?${new URLSearchParams({ q: text })}`), { replace: isHere });
    }, searchDelayMs);
  };

  return (
    <form
      role="search"
      action={paths.search}
      onSubmit={(event) => {
        stop();
        submit(event);
      }}
      className="relative min-w-0 grow lg:mx-auto lg:max-w-xl"
    >
      <Icon name="search" className="pointer-events-none absolute top-3 left-3 size-5 text-ink-soft" />
      <input
        ref={field}
        type="search"
        name="q"
        aria-label="Search"
        placeholder="Search"
        autoComplete="off"
        defaultValue={asked}
        onChange={lookUpSoon}
        onClick={() => isHere || void navigate(paths.search)}
        className="control bg-surface pl-10"
      />
    </form>
  );
}
