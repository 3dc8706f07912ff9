import { join } from 'node:path';
import type { Endpoint, EndpointName } from '#contract/endpoint.ts';
import { listProblems } from '#contract/access.ts';
import { endpoints } from '#contract/endpoints.ts';
import { Problem, commonProblems } from '#contract/problem.ts';
import { planted } from './hostile.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: string;
}

const root = join(import.meta.dirname, '..', '..', '..');

const internals: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a stack trace', /\n\s+at .*:\d+:\d+|\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules/u],
  ['a file path', new RegExp(`${root}|/server/[\\w/-]+\\.ts|\\.unfinished|ENOENT|EACCES|EISDIR`, 'u')],
  [
    'a database message',
    /\b(?:insert into|delete from|syntax error at or near|violates|invalid input syntax|out of range|invalid byte sequence|pg_(?!sleep)|kysely|relation ")/iu,
  ],
  [
    'a library message',
    /FST_ERR|ERR_[A-Z]{3}|\bCannot read propert|is not a function|is not iterable|\[object Object\] is not|VipsJpeg|vips2?[a-z]*:/u,
  ],
];

export function findFault(
  path: string,
  method: string,
  name: string | null,
  { status, headers, body }: Answer,
): string | null {
  if (status >= 500) return `It returns ${status}.`;
  const type = headers['content-type']?.toString() ?? '';
  const isText = /json|text|xml/u.test(type);
  // The description of the API may contain the words that the patterns search for.
  const isOpen = path.startsWith('/api/openapi.json');
  if (isText && !isOpen)
    for (const [what, pattern] of internals) {
      // Picture names are random, so they can match a pattern by chance.
      const found = pattern.exec(body.replaceAll(/\/media\/[\w-]+/gu, ''))?.[0];
      if (found !== undefined) return `It contains ${what}: ${found.slice(0, 80)}`;
    }
  if (type.startsWith('text/html') && body.includes(planted.markup)) return 'It contains unescaped markup.';
  if (isText && status < 400 && headers['x-content-type-options'] !== 'nosniff')
    return 'It has no X-Content-Type-Options: nosniff.';
  if (!path.startsWith('/api/') || method === 'HEAD' || status < 400) return null;
  return findProblemFault(name, type, { status, body });
}

function findProblemFault(
  name: string | null,
  type: string,
  { status, body }: Pick<Answer, 'status' | 'body'>,
): string | null {
  if (!type.startsWith('application/problem+json'))
    return `It returns ${status} with content type ${type || 'none'} instead of application/problem+json.`;
  const problem = Problem.safeParse(JSON.parse(body));
  if (!problem.success) return 'Its body does not match the problem schema.';
  const { code } = problem.data;
  if (problem.data.status !== status) return 'The status in the body differs from the HTTP status.';
  const endpoint = name === null ? null : (endpoints as Record<string, Endpoint>)[name as EndpointName];
  if (endpoint && ![...listProblems(endpoint), ...commonProblems].includes(code))
    return `The contract does not list the code ${code}.`;
  return null;
}
