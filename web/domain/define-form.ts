import type { Call } from '#contract/call.ts';
import type { Problem } from '#contract/problem.ts';
import { problemOf } from '#web/platform/api.ts';
import {
  type Fields,
  type FormDefinition,
  type FormResult,
  type FormSchema,
  validateFields,
} from '#web/platform/form.ts';
import { messageOf } from './messages.ts';

interface Definition<Body, Data> extends Pick<FormDefinition, 'keep' | 'urlFields'> {
  schema?: FormSchema<Body>;
  /** @param body the output of the schema, or all fields */
  send: (call: Call, body: Body, fields: Fields, form: FormData) => Promise<FormResult<Data>>;
  explain?: (problem: Problem, body: Body, call: Call, fields: Fields) => FormResult<Data> | Promise<FormResult<Data>>;
}

export const defineForm = <Body = Fields, Data = undefined>({
  schema,
  send,
  explain = explainProblem,
  ...rest
}: Definition<Body, Data>): FormDefinition<Data> => ({
  ...rest,
  schema,
  send: async (call, fields, form) => {
    const parsed = schema ? validateFields(schema, fields) : { body: fields as Body };
    if ('errors' in parsed) return { ...parsed, status: 422 };
    try {
      return await send(call, parsed.body, fields, form);
    } catch (error) {
      const problem = problemOf(error);
      return { status: problem.status, code: problem.code, ...(await explain(problem, parsed.body, call, fields)) };
    }
  },
});

export function explainProblem(problem: Problem): Pick<FormResult, 'errors' | 'formError'> {
  if (problem.code !== 'validation-failed') return { formError: messageOf(problem) };
  const errors = (problem.errors ?? []).map(({ pointer, message }) => [pointer.slice(1), message] as const);
  return { errors: Object.fromEntries(errors) };
}
