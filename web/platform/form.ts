import { type ActionFunctionArgs, data, redirect } from 'react-router';
import type * as z from 'zod/mini';
import type { Call } from '#contract/call.ts';
import type { ProblemCode } from '#contract/problem.ts';
import { joinDates } from './date-parts.ts';
import { loaderServices } from './loader-services.ts';

export type Fields = Readonly<Record<string, string>>;

export interface FormResult<Data = unknown> {
  readonly intent?: string;
  /** The typed values that a page without JavaScript fills in again. */
  readonly values?: Fields;
  readonly errors?: Fields;
  readonly formError?: string;
  readonly success?: string;
  readonly goTo?: string;
  /** The HTTP status of a failure, and the problem code if the server refused the form. */
  readonly status?: number;
  readonly code?: ProblemCode;
  readonly data?: Data | undefined;
}

export type FormSchema<Body> = z.ZodMiniType<Body> & { readonly shape: object };

export interface FormDefinition<Data = unknown> {
  /** Without a schema, only the server validates. */
  readonly schema?: FormSchema<unknown> | undefined;
  /** The fields that a page without JavaScript fills in again. Never a password. */
  readonly keep?: readonly string[] | undefined;
  readonly urlFields?: readonly string[] | undefined;
  /**
   * @param call calls the API: in the browser, or on the server for a posted form
   * @param form has the chosen files, too
   */
  readonly send: (call: Call, fields: Fields, form: FormData) => Promise<FormResult<Data>>;
}

export const readFields = (form: FormData): Fields =>
  joinDates(Object.fromEntries([...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string')));

export const readUrlFields = (
  { urlFields = [] }: FormDefinition,
  path: Readonly<Record<string, string | undefined>>,
  query: URLSearchParams,
): Fields =>
  Object.fromEntries(
    urlFields.flatMap((name) => {
      const value = path[name] ?? query.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

/** A missing field counts as empty. */
export function validateFields<Body>(
  schema: FormSchema<Body>,
  fields: Fields,
): { readonly body: Body } | { readonly errors: Fields } {
  const names = Object.keys(schema.shape);
  const parsed = schema.safeParse(Object.fromEntries(names.map((name) => [name, fields[name] ?? ''])));
  if (parsed.success) return { body: parsed.data };
  const errors: Record<string, string> = {};
  for (const { path, message } of parsed.error.issues) errors[String(path[0])] ??= message;
  return { errors };
}

/**
 * Returns the action of a page whose forms are submitted without JavaScript. It runs only on the server.
 * @param pick returns the form that was submitted
 */
export const createFormAction =
  (pick: (posted: Fields) => FormDefinition) =>
  async ({ request, context, params }: ActionFunctionArgs) => {
    const body = await request.formData();
    const posted = readFields(body);
    const form = pick(posted);
    const inUrl = readUrlFields(form, params, new URL(request.url).searchParams);
    const result = await form.send(context.get(loaderServices).call, { ...inUrl, ...posted }, body);
    if (result.goTo !== undefined) return redirect(result.goTo, 303);
    const values = Object.fromEntries((form.keep ?? []).map((name) => [name, posted[name] ?? '']));
    return data<FormResult>({ ...result, intent: posted['intent'] ?? '', values }, { status: result.status ?? 200 });
  };
