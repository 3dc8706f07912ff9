import { type SubmitEvent, useState } from 'react';
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

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form, event.nativeEvent.submitter);
    const fields = Object.fromEntries(
      [...data].filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    setSending((fields['act'] ?? '') + (fields['id'] ?? ''));
    const next = await send(callApi, { ...more, ...fields });
    if (next.goTo === undefined) {
      await revalidate();
      // A created link stays on the page, because it cannot be shown again.
      setResult((last) => (last?.link ? { link: last.link, ...next } : next));
      // Focuses after the error messages are rendered.
      if (next.errors) setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    } else {
      if (next.act !== 'open') deleteKeptCode();
      // The user may be a member now, and the frame of the page shows the status too.
      await refreshUser();
      await navigate(next.goTo, { replace: next.act !== 'open' });
      setResult(undefined);
      form.closest('details')?.removeAttribute('open');
      document.querySelector('h1')?.scrollIntoView({ block: 'center' });
    }
    setSending(null);
  }

  return { result, sending, submit: (event) => void submit(event) };
}

/** Returns the props of a field after its form was sent: what the user typed, and the error message. */
export function getFieldProps(result: FormResult | undefined, acts: readonly string[], name: string, initial = '') {
  const own = result && acts.includes(result.act) ? result : undefined;
  return { name, defaultValue: own?.values?.[name] ?? initial, error: own?.errors?.[name] };
}
