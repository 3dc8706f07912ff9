import type { SubmitEvent } from 'react';
import { useNavigate } from 'react-router';
import { keepScroll } from './use-scroll.ts';

/**
 * Makes a plain `<form>` (GET, with an `action`) go to its address without loading a new page. Empty fields leave no
 * trace in the address. Without scripts the browser does the same by itself.
 */
export function useGetForm(): (event: SubmitEvent<HTMLFormElement>) => void {
  const navigate = useNavigate();
  return (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form, event.nativeEvent.submitter);
    const params = new URLSearchParams(
      [...data].flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [[name, value]] : [])),
    );
    void navigate(`${new URL(form.action).pathname}?${params}`, { state: keepScroll });
  };
}
