import { type ReactNode, createElement, Fragment } from 'react';
import { parseBlocks } from '#contract/light-format.ts';
import type { StaffPageProps } from '../define-page.ts';
import { DataTable } from '../ui/data-table.tsx';
import { LightText } from '../ui/light-text.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The handbook has its own chunk, and is built into the pages, so that it is the one of this version. */
export const loadHandbook = (): Promise<string> => import('#docs/staff.md?raw').then(({ default: text }) => text);

const headingMark = /^##? /u;

/** Shows the Markdown of `docs/staff.md`, without its pictures and its links, which lead to other files. */
export function HandbookPage({ data }: StaffPageProps<string>) {
  const [title = '', ...chunks] = data
    .replace(/^!\[.*\n/gmu, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/gu, '$1')
    .trim()
    .split(/\n{2,}/u)
    // A paragraph or an item has several lines in the file.
    .map((chunk) => chunk.replace(/\n(?![-|]|\d+\. ) */gu, ' '));
  return (
    <>
      <PageHeader title={title.replace(headingMark, '')} />
      <div className="grid max-w-[72ch] gap-4">{chunks.map((chunk) => toElement(chunk))}</div>
    </>
  );
}

function toElement(chunk: string): ReactNode {
  if (headingMark.test(chunk))
    return (
      <h2 key={chunk} className="mt-4 text-lg font-bold">
        {chunk.replace(headingMark, '')}
      </h2>
    );
  if (chunk.startsWith('|')) return toTable(chunk.split('\n').map(toCells));
  return <LightText key={chunk} blocks={parseBlocks(chunk)} renderText={renderCode} />;
}

const toCells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function toTable([head = [], , ...rows]: readonly (readonly string[])[]): ReactNode {
  return (
    <DataTable key={head.join('|')} label="Table" columns={head.map((cell) => cell || 'Action')}>
      {rows.map(([name = '', ...cells]) => (
        <tr key={name}>
          <th scope="row" className="font-normal">
            {name}
          </th>
          {cells.map((cell, column) => (
            <td key={head[column + 1]}>{cell}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

/** Elements as arguments need no keys. */
const renderCode = (text: string): ReactNode =>
  createElement(
    Fragment,
    null,
    ...text.split('`').map((part, index) => (index % 2 === 1 ? createElement('code', null, part) : part)),
  );
