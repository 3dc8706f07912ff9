import { startTransition, type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useActionData, useNavigate, useRevalidator } from 'react-router';
import { deleteKeptCode } from '../../domain/kept-code.ts';
import { refreshUser } from '../../domain/session.ts';
import { callApi } from '../../platform/api.ts';
import type { Fields, FormResult, SendForm } from './send-forms.ts';

export interface PageForm {
  /** The result of the last form: with JavaScript or, on a page that the server rendered for it, without. */
  readonly result: FormResult | undefined;
  /** The value of the button whose form is being sent; null if none is. */
  readonly sending: string | null;
  readonly submit: (event: SubmitEvent<HTMLFormElement>) => void;
  /** Submits the last form again, with the button that was pressed. Null before a form was submitted in this page. */
  readonly submitAgain: () => (() => void) | null;
}

/**
 * Sends the forms of a page. Without JavaScript the browser posts them, and the action of the page makes the same calls.
 * @param more fields that the URL contains and the form does not
 */
export function usePageForm(send: SendForm, more: Fields = {}): PageForm {
  const posted = useActionData<FormResult>();
  const [result, setResult] = useState(posted);
  const [sending, setSending] = useState<string | null>(null);
  const { revalidate } = useRevalidator();
  const navigate = useNavigate();
  const lastSubmit = useRef<() => void>(null);
  const sent = useRef<{ form: HTMLFormElement; submitter: HTMLElement | null }>(null);

  useEffect(() => {
    if (sending !== null || sent.current === null) return;
    restoreFocus(sent.current.form, sent.current.submitter);
    sent.current = null;
  }, [sending]);

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const { submitter } = event.nativeEvent;
    lastSubmit.current = () => form.requestSubmit(submitter);
    const data = new FormData(form, submitter);
    const fields = Object.fromEntries(
      [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    setSending((fields['act'] ?? '') + (fields['id'] ?? ''));
    const next = await send(callApi, { ...more, ...fields });
    if (next.goTo === undefined) {
      sent.current = { form, submitter };
      await revalidate();
      // In a transition, like the loaded data, so that the focus is set after both are rendered.
      startTransition(() => {
        // A created link stays on the page, because it cannot be shown again.
        setResult((last) => (last?.link ? { link: last.link, ...next } : next));
        setSending(null);
      });
    } else {
      if (next.act !== 'open') deleteKeptCode();
      // The user may be a member now, and the frame of the page shows the status too.
      await refreshUser();
      await navigate(next.goTo, { replace: next.act !== 'open' });
      setResult(undefined);
      form.closest('details')?.removeAttribute('open');
      focusHeading();
      setSending(null);
    }
  }

  return { result, sending, submit: (event) => void submit(event), submitAgain: () => lastSubmit.current };
}

/** Focuses the first wrong field. Else the pressed button, which lost the focus while it was disabled, or what replaced it. */
function restoreFocus(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid=true]');
  if (wrong) wrong.focus();
  else if (document.activeElement === document.body)
    (submitter?.isConnected ? submitter : form.querySelector<HTMLElement>('input:not([type=hidden]), button'))?.focus();
}

/** The pressed button is gone, and the page says what happens next. */
function focusHeading(): void {
  const heading = document.querySelector('h1');
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'center' });
}

/** Returns the props of a field after its form was sent: what the user typed, and the error message. */
export function getFieldProps(result: FormResult | undefined, acts: readonly string[], name: string, initial = '') {
  const own = result && acts.includes(result.act) ? result : undefined;
  return { name, defaultValue: own?.values?.[name] ?? initial, error: own?.errors?.[name] };
}
