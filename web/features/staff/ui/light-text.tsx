import { type ReactNode, Fragment } from 'react';
import type { Block, Span } from '#contract/light-format.ts';

interface Props {
  blocks: readonly Block[];
  renderText?: (text: string) => ReactNode;
}

/** Shows the light formatting of `contract/light-format.ts`. React escapes the texts. */
export const LightText = ({ blocks, renderText = (text) => text }: Props) =>
  blocks.map(({ kind, lines }, index) => {
    const key = `${index} ${kind}`;
    const items = lines.map(
      (spans, line) => [`${line}`, <Spans key={line} spans={spans} renderText={renderText} />] as const,
    );
    if (kind === 'paragraph')
      return (
        <p key={key} dir="auto">
          {items.map(([line, content]) => (
            <Fragment key={line}>
              {line !== '0' && <br />}
              {content}
            </Fragment>
          ))}
        </p>
      );
    const List = kind === 'bullets' ? 'ul' : 'ol';
    return (
      <List key={key} dir="auto" className={`grid gap-1 pl-6 ${kind === 'bullets' ? 'list-disc' : 'list-decimal'}`}>
        {items.map(([line, content]) => (
          <li key={line}>{content}</li>
        ))}
      </List>
    );
  });

const Spans = ({ spans, renderText }: { spans: readonly Span[]; renderText: (text: string) => ReactNode }) =>
  spans.map(({ text, isBold, url }, index) => {
    const key = `${index} ${text}`;
    if (url !== undefined)
      return (
        <a key={key} href={url} className="link" target="_blank" rel="noreferrer">
          {renderText(text)}
        </a>
      );
    return isBold ? <strong key={key}>{renderText(text)}</strong> : <Fragment key={key}>{renderText(text)}</Fragment>;
  });
