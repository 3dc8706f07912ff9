import { splitLinks } from './links.ts';

/*
 * The light formatting of announcements and of the handbook: `**bold**`, `[label](https://address)`, and lists of lines
 * that begin with `- ` or `1. `. The result is data. Who shows it escapes the texts.
 */

export interface Span {
  readonly text: string;
  readonly isBold?: true;
  readonly url?: string;
}

export interface Block {
  readonly kind: 'paragraph' | 'bullets' | 'numbers';
  readonly lines: readonly (readonly Span[])[];
}

const marks = /\*\*(?<bold>[^*\s](?:[^*\n]*[^*\s])?)\*\*|\[(?<label>[^[\]\n]+)\]\((?<url>https?:\/\/[^\s()<>"]+)\)/gu;

export function parseSpans(line: string): Span[] {
  const spans: Span[] = [];
  const addText = (text: string) =>
    spans.push(...splitLinks(text).map(({ text: part, url }) => (url === null ? { text: part } : { text: part, url })));
  let end = 0;
  for (const { 0: whole, index, groups: { bold, label, url } = {} } of line.matchAll(marks)) {
    addText(line.slice(end, index));
    if (bold !== undefined) spans.push({ text: bold, isBold: true });
    else if (label !== undefined && url !== undefined) spans.push({ text: label, url });
    end = index + whole.length;
  }
  addText(line.slice(end));
  return spans;
}

/** Returns a text without marks, for mail programs that show no HTML. */
export const toPlainText = (text: string): string =>
  text.replaceAll(marks, (_whole, bold?: string, label?: string, url?: string) => bold ?? `${label} (${url})`);

const listMarks = { bullets: /^- +/u, numbers: /^\d{1,2}\. +/u } as const;

const kindOf = (line: string): Block['kind'] =>
  listMarks.bullets.test(line) ? 'bullets' : listMarks.numbers.test(line) ? 'numbers' : 'paragraph';

/** An empty line ends a block, and so does a line of another kind. */
export function parseBlocks(text: string): Block[] {
  const blocks: { kind: Block['kind']; lines: Span[][] }[] = [];
  for (const chunk of text.split(/\n\s*\n/u)) {
    let isNew = true;
    for (const line of chunk.split('\n')) {
      const kind = kindOf(line);
      const last = blocks.at(-1);
      const spans = parseSpans(kind === 'paragraph' ? line : line.replace(listMarks[kind], ''));
      if (last && !isNew && last.kind === kind) last.lines.push(spans);
      else blocks.push({ kind, lines: [spans] });
      isNew = false;
    }
  }
  return blocks;
}
