import { type ReactNode, createElement, Fragment } from 'react';
import { type LoaderFunctionArgs, Link, useLoaderData } from 'react-router';
import { parseBlocks } from '#contract/light-format.ts';
import { requireUser } from '#web/domain/guards.ts';
import { LightText } from '#web/domain/light-text.tsx';
import { paths } from '#web/domain/paths.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';

/** The text is built into this chunk, so that it is the one of this version. @throws the 404 page unless staff ask */
export async function handbookLoader(args: LoaderFunctionArgs): Promise<string> {
  if (!(await requireUser(args)).isStaff) return throwNotFound();
  return (await import('#docs/staff.md?raw')).default;
}

const headingMark = /^##? /u;

export function HandbookPage() {
  const [title = '', lead = '', ...chunks] = useLoaderData<string>()
    .replace(/^!\[.*\n/gmu, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/gu, '$1')
    .trim()
    .split(/\n{2,}/u)
    // A paragraph or an item has several lines in the file.
    .map((chunk) => chunk.replace(/\n(?![-|]|\d+\. ) */gu, ' '));
  return (
    <article className="page grid max-w-[72ch] grid-cols-1 gap-4">
      <Link to={paths.staff} className="link inline-flex min-h-11 items-center justify-self-start">
        Staff console
      </Link>
      <h1 className="text-2xl font-bold">{readHeading(title)}</h1>
      <div className="max-w-[46ch] text-ink-soft">
        <LightText blocks={parseBlocks(lead)} />
      </div>
      {createElement(Fragment, null, ...chunks.map(toElement))}
    </article>
  );
}

const readHeading = (chunk: string): string => chunk.replace(headingMark, '');

function toElement(chunk: string, index: number, chunks: readonly string[]): ReactNode {
  if (headingMark.test(chunk)) return <h2 className="mt-4 text-lg font-bold">{readHeading(chunk)}</h2>;
  if (chunk.startsWith('|')) {
    const heading = chunks.slice(0, index).findLast((other) => headingMark.test(other)) ?? '';
    return toTable(readHeading(heading), chunk.split('\n').map(toCells));
  }
  return <LightText blocks={parseBlocks(chunk)} renderText={renderCode} />;
}

const toCells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function toTable(label: string, [head = [], , ...rows]: readonly (readonly string[])[]): ReactNode {
  const toRow = (cells: readonly string[], className = 'border-t border-line') =>
    createElement(
      'tr',
      { className },
      ...cells.map((cell, column) => createElement(column === 0 ? 'th' : 'td', { className: 'py-1 pr-1' }, cell)),
    );
  const table = createElement(
    'table',
    { className: 'w-full text-left text-sm' },
    createElement(
      'tbody',
      null,
      toRow(
        head.map((cell) => cell || 'Action'),
        'font-semibold',
      ),
      ...rows.map((cells) => toRow(cells)),
    ),
  );
  return (
    <div
      role="region"
      aria-label={label}
      className="overflow-x-auto"
      // Keyboards scroll it only if it can take the focus.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
    >
      {table}
    </div>
  );
}

const renderCode = (text: string): ReactNode =>
  createElement(
    Fragment,
    null,
    ...text.split('`').map((part, index) => (index % 2 === 1 ? createElement('code', null, part) : part)),
  );
