import type { SubmitEvent } from 'react';
import { useNavigate } from 'react-router';
import { keepScroll } from './use-scroll.ts';

/**
 * Returns a submit handler for a `<form>` with method GET and an `action`. It navigates to the form's URL without loading a
 * new document, and leaves empty fields out. Without JavaScript the browser submits the form itself.
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
