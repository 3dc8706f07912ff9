import { Fragment } from 'react';
import type { Match } from '#contract/search.ts';

export function Marked({ text, marks }: Pick<Match, 'text' | 'marks'>) {
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
