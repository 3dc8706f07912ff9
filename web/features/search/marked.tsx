import { Fragment } from 'react';
import type { Match } from '#contract/search.ts';
import { surnameStart } from '#web/domain/person-card.tsx';

type Props = Pick<Match, 'text' | 'marks'>;

export function Marked({ text, marks }: Props) {
  const ends = [0, ...marks.map(([, to]) => to)];
  return (
    <>
      {marks.map(([from, to], index) => (
        <Fragment key={from}>
          {text.slice(ends[index], from)}
          <mark>{text.slice(from, to)}</mark>
        </Fragment>
      ))}
      {text.slice(ends.at(-1))}
    </>
  );
}

/** With a bold surname, as in the other lists of people. */
export function MarkedName({ text, marks }: Props) {
  const start = surnameStart(text);
  const cut = (from: number, to: number): Props => ({
    text: text.slice(from, to),
    marks: marks
      .filter((mark) => mark[0] < to && mark[1] > from)
      .map((mark) => [Math.max(mark[0], from) - from, Math.min(mark[1], to) - from]),
  });
  return (
    <>
      <Marked {...cut(0, start)} />
      <b>
        <Marked {...cut(start, text.length)} />
      </b>
    </>
  );
}
