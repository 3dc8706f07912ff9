import { join } from 'node:path';
import type { Endpoint, EndpointName } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { Problem, commonProblems } from '#contract/problem.ts';
import { planted } from './hostile.ts';

/** An answer, however it was asked for. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  readonly body: string;
}

const root = join(import.meta.dirname, '..', '..', '..');

/** What tells a visitor of the inside: stacks, places of files, words of the database and of libraries. */
const internals: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a stack', /\n\s+at .*:\d+:\d+|\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules/u],
  ['the place of a file', new RegExp(`${root}|/server/[\\w/-]+\\.ts|\\.unfinished|ENOENT|EACCES|EISDIR`, 'u')],
  [
    'words of the database',
    /\b(?:insert into|delete from|syntax error at or near|violates|invalid input syntax|out of range|invalid byte sequence|pg_(?!sleep)|kysely|relation ")/iu,
  ],
  [
    'words of a library',
    /FST_ERR|ERR_[A-Z]{3}|\bCannot read propert|is not a function|is not iterable|\[object Object\] is not|VipsJpeg|vips2?[a-z]*:/u,
  ],
];

/**
 * What is wrong with an answer, as a sentence; null when nothing is.
 * @param name the contract's call or the page that it answers; null when the request may have gone elsewhere
 */
export function findFault(
  path: string,
  method: string,
  name: string | null,
  { status, headers, body }: Answer,
): string | null {
  if (status >= 500) return `It answers ${status}.`;
  const type = headers['content-type']?.toString() ?? '';
  const isText = /json|text|xml/u.test(type);
  // What the visitor has typed themselves, and the description of the API, are no secrets.
  const isOpen = path.startsWith('/api/openapi.json');
  if (isText && !isOpen)
    for (const [what, pattern] of internals) {
      const found = pattern.exec(body)?.[0];
      if (found !== undefined) return `It shows ${what}: ${found.slice(0, 80)}`;
    }
  if (type.startsWith('text/html') && body.includes(planted.markup)) return 'It repeats markup as markup.';
  if (isText && status < 400 && headers['x-content-type-options'] !== 'nosniff')
    return 'It lets a browser guess its type.';
  if (!path.startsWith('/api/') || method === 'HEAD' || status < 400) return null;
  return findProblemFault(name, type, { status, body });
}

/** A failure of the API is a problem with a code, and one that the contract names for the call. */
function findProblemFault(
  name: string | null,
  type: string,
  { status, body }: Pick<Answer, 'status' | 'body'>,
): string | null {
  if (!type.startsWith('application/problem+json'))
    return `It is ${type || 'nothing'} with ${status}, and not application/problem+json.`;
  const problem = Problem.safeParse(JSON.parse(body));
  if (!problem.success) return 'It is not a problem as the contract has it.';
  const { code } = problem.data;
  if (problem.data.status !== status) return 'It says another status than it has.';
  const endpoint = name === null ? null : (endpoints as Record<string, Endpoint>)[name as EndpointName];
  if (endpoint && ![...(endpoint.problems ?? []), ...commonProblems].includes(code))
    return `The contract does not name ${code}.`;
  return null;
}
