import type { ReactNode } from 'react';
import { parseBlocks } from '#contract/light-format.ts';
import type { StaffPageProps } from '../define-page.ts';
import { LightText } from '../ui/light-text.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The handbook has its own chunk, and is built into the pages, so that it is the one of this version. */
export const loadHandbook = (): Promise<string> =>
  import('../../../../docs/staff.md?raw').then(({ default: text }) => text);

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
  if (chunk.startsWith('|')) return <Table key={chunk} rows={chunk.split('\n').map(toCells)} />;
  return <LightText key={chunk} blocks={parseBlocks(chunk)} renderText={renderCode} />;
}

const toCells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

function Table({ rows: [head = [], , ...rows] }: { rows: readonly (readonly string[])[] }) {
  return (
    <div className="overflow-x-auto" role="group" aria-label="Table" tabIndex={0}>
      <table className="w-full text-left text-sm">
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col" className="px-2 py-1 font-semibold">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name = '', ...cells]) => (
            <tr key={name} className="border-t border-line">
              <th scope="row" className="px-2 py-1 font-normal">
                {name}
              </th>
              {cells.map((cell, column) => (
                <td key={head[column + 1]} className="px-2 py-1">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const renderCode = (text: string): ReactNode =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part));
