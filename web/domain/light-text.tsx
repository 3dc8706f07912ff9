import { type ReactNode, createElement, Fragment } from 'react';
import type { Block, Span } from '#contract/light-format.ts';

const asText = (text: string): ReactNode => text;

interface Props {
  blocks: readonly Block[];
  renderText?: (text: string) => ReactNode;
}

/** Shows the light formatting of `contract/light-format.ts`. React escapes the texts. Elements as arguments need no keys. */
export const LightText = ({ blocks, renderText = asText }: Props) =>
  createElement(Fragment, null, ...blocks.map((block) => toElement(block, renderText)));

function toElement({ kind, lines }: Block, renderText: typeof asText): ReactNode {
  const items = lines.map((spans) => spans.map((span) => toInline(span, renderText)));
  if (kind === 'paragraph') {
    const content = items.flatMap((parts, line) => (line === 0 ? parts : [createElement('br'), ...parts]));
    return createElement('p', { dir: 'auto' }, ...content);
  }
  const className = `grid gap-1 pl-6 ${kind === 'bullets' ? 'list-disc' : 'list-decimal'}`;
  return createElement(
    kind === 'bullets' ? 'ul' : 'ol',
    { dir: 'auto', className },
    ...items.map((parts) => createElement('li', null, ...parts)),
  );
}

function toInline({ text, isBold, url }: Span, renderText: typeof asText): ReactNode {
  if (url !== undefined)
    return (
      <a href={url} className="link" target="_blank" rel="noreferrer">
        {renderText(text)}
      </a>
    );
  return isBold ? <strong>{renderText(text)}</strong> : renderText(text);
}
