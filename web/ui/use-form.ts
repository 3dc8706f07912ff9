import {
  type FocusEvent,
  startTransition,
  type SubmitEvent,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useActionData, useParams, useSearchParams } from 'react-router';
import { callApi } from '#web/platform/api.ts';
import {
  type Fields,
  type FormDefinition,
  type FormResult,
  readFields,
  readUrlFields,
  validateFields,
} from '#web/platform/form.ts';
import { runAfterClick } from './after-click.ts';
import { toast } from './toasts.ts';

interface Options<Data> {
  hasToasts?: boolean;
  /** The values of a draft, with which the fields begin. */
  restored?: Fields | undefined;
  /** Runs before the page shows the result of a form that the server has accepted. @param form its element */
  onSent?: (result: FormResult<Data>, form: HTMLFormElement) => unknown;
  onFailed?: (result: FormResult<Data>) => unknown;
}

export interface PageForm<Data = unknown> {
  readonly props: {
    readonly noValidate: true;
    readonly onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
    readonly onChange: (event: SyntheticEvent<HTMLFormElement>) => void;
    readonly onBlur: (event: FocusEvent<HTMLFormElement>) => void;
    readonly onReset: () => void;
  };
  /** The result of the last form: with JavaScript or, on a page that the server rendered for it, without. */
  readonly result: FormResult<Data> | undefined;
  /** The result of a form that was sent without JavaScript. */
  readonly posted: FormResult<Data> | undefined;
  readonly values: Partial<Fields>;
  readonly isSending: boolean;
  /** Returns the label of a button while its form is being sent, else false. @param intent the value of the button */
  readonly busy: (label: string, intent?: string) => string | false;
  readonly field: (
    name: string,
    initial?: string,
  ) => { name: string; defaultValue?: string; error: string | undefined; 'aria-required'?: true };
  /** Submits the last form again, with the button that was pressed. Null before a form was submitted in this page. */
  readonly submitAgain: () => (() => void) | null;
}

/**
 * Sends the forms of a page. Without JavaScript the browser posts them, and the action of the page does the same. The
 * inputs are uncontrolled, so they keep what the user typed, also before hydration.
 *
 * A form with a schema validates on change and on blur (specification, section 5). A field shows its error once it was
 * touched. A submit touches all fields and focuses the first invalid one. An error of the server stays until the field
 * is edited: if it disappeared on blur, what is below would move while it is pressed.
 */
export function useForm<Data>(
  definition: FormDefinition<Data>,
  { hasToasts = false, restored, onSent, onFailed }: Options<Data> = {},
): PageForm<Data> {
  const posted = useActionData<FormResult<Data>>();
  const path = useParams();
  const [query] = useSearchParams();
  const [result, setResult] = useState(posted);
  const typed = posted?.values ?? restored;
  const [values, setValues] = useState<Partial<Fields>>(typed ?? {});
  /** The values that the result is about. */
  const [sentValues, setSentValues] = useState(values);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [sending, setSending] = useState<string | null>(null);
  const submitLast = useRef<() => void>(null);
  const sent = useRef<{ form: HTMLFormElement; submitter: HTMLElement | null }>(null);

  useEffect(() => {
    if (sending !== null || sent.current === null) return;
    restoreFocus(sent.current.form, sent.current.submitter);
    sent.current = null;
  });

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (sending !== null) return;
    const form = event.currentTarget;
    const { submitter } = event.nativeEvent;
    submitLast.current = () => form.requestSubmit(submitter);
    const data = new FormData(form, submitter);
    const fields = readFields(data);
    setValues(fields);
    if (definition.schema && 'errors' in validateFields(definition.schema, fields)) {
      setTouched(new Set(Object.keys(fields)));
      sent.current = { form, submitter };
      return;
    }
    const { intent = '' } = fields;
    setSending(intent);
    const next = await definition.send(callApi, { ...readUrlFields(definition, path, query), ...fields }, data);
    if (hasToasts && next.formError) toast('error', next.formError);
    if (hasToasts && next.success) toast('success', next.success);
    await (next.status === undefined ? onSent : onFailed)?.(next, form);
    sent.current = { form, submitter };
    // In a transition, like data that `onSent` has loaded, so that the focus is set after both are rendered.
    startTransition(() => {
      // The data stay, because a created link cannot be shown again.
      setResult((last) => (next.goTo === undefined ? { ...next, intent, data: next.data ?? last?.data } : undefined));
      setSentValues(fields);
      setSending(null);
    });
  }

  const checked = definition.schema ? validateFields(definition.schema, values as Fields) : { body: values };
  const issues = 'errors' in checked ? checked.errors : {};
  return {
    props: {
      noValidate: true,
      onSubmit: (event) => void submit(event),
      onChange: ({ currentTarget }) => setValues(readFields(new FormData(currentTarget))),
      onBlur: ({ currentTarget, target, relatedTarget }) => {
        // The boxes of a date are one field.
        const group = target.closest<HTMLElement>('[data-field]');
        if (group?.contains(relatedTarget)) return;
        const name = group?.dataset['field'] ?? (target as Element as HTMLInputElement).name;
        // An error message that appears between mousedown and mouseup could move the button, and the click would be
        // lost.
        runAfterClick(() => {
          setValues(readFields(new FormData(currentTarget)));
          setTouched((before) => new Set([...before, name]));
        });
      },
      onReset: () => {
        setValues({});
        setTouched(new Set());
      },
    },
    result,
    posted,
    values,
    isSending: sending !== null,
    busy: (label, intent = '') => sending === intent && label,
    field: (name, initial) => {
      const value = typed?.[name] ?? initial;
      const isEdited = (values[name] ?? '') !== (sentValues[name] ?? '');
      return {
        name,
        ...(value !== undefined && { defaultValue: value }),
        error: (touched.has(name) ? issues[name] : undefined) ?? (isEdited ? undefined : result?.errors?.[name]),
        ...(definition.schema && { 'aria-required': true }),
      };
    },
    submitAgain: () => submitLast.current,
  };
}

/**
 * Focuses the first wrong field. Else the pressed button, which lost the focus while it was disabled, or what replaced
 * it.
 */
function restoreFocus(form: HTMLFormElement, submitter: HTMLElement | null): void {
  const wrong = form.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid=true]');
  if (wrong) wrong.focus();
  else if (document.activeElement === document.body)
    (submitter?.isConnected ? submitter : form.querySelector<HTMLElement>('input:not([type=hidden]), button'))?.focus();
}
