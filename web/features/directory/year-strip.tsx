import type { KeyboardEvent } from 'react';
import { Form } from 'react-router';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { paths } from '#web/domain/paths.ts';
import type { DirectoryView } from './filters.ts';
import type { YearAxis } from './loader.ts';
import { ViewFields } from './view-fields.tsx';

/** Height of the highest bar, in the units of the drawing. One year is one unit wide. */
const maxHeight = 20;

/**
 * Shows the graduates per year on a time axis; a button per year filters by it. On wide screens the buttons lie over
 * the bars, on small screens they are a row that scrolls (`.years` in `main.css`). The newest year comes first. Only
 * one button is in the tab order: the arrow keys move the focus to the others.
 */
export function YearStrip({ view, years: { first, counts } }: { view: DirectoryView; years: YearAxis }) {
  const user = useUser();
  const { graduatedFrom, graduatedTo, ...filters } = view.filters;
  const scale = maxHeight / Math.max(...counts);
  const isChosen = (year: number) =>
    (graduatedFrom ?? graduatedTo) !== undefined && year >= (graduatedFrom ?? 0) && year <= (graduatedTo ?? year);
  const isOwn = (year: number) =>
    isMember(user) && year === user.yearGraduated && [undefined, user.department].includes(filters.department);
  const draw = (isIn: (year: number) => boolean) =>
    counts
      .map((count, index) =>
        count && isIn(first + index) ? `M${index} ${maxHeight}v-${Math.max(1, Math.round(count * scale))}` : '',
      )
      .join('');
  const all = counts.map((count, index) => ({ year: first + index, count })).toReversed();
  const tabStop = (all.find(({ year, count }) => count && isChosen(year)) ?? all[0])?.year;
  return (
    <Form aria-label="Year of graduation" action={paths.dashboard} preventScrollReset className="years">
      <ViewFields view={{ ...view, filters, after: undefined }} />
      {/* Each bar is a thick line in the middle of its year. */}
      <svg viewBox={`-.5 0 ${all.length} ${maxHeight}`} preserveAspectRatio="none" strokeWidth=".8" aria-hidden="true">
        <path d={draw((year) => !isChosen(year) && !isOwn(year))} className="stroke-brand-line" />
        <path d={draw(isOwn)} className="stroke-gold-strong" />
        <path d={draw((year) => isChosen(year) && !isOwn(year))} className="stroke-brand-bright" />
      </svg>
      {all.map(({ year, count }) =>
        count === 0 ? (
          <i key={year} />
        ) : (
          <button
            key={year}
            name="year"
            onKeyDown={moveFocus}
            value={isChosen(year) && graduatedFrom === graduatedTo ? 'all' : year}
            aria-current={isChosen(year) || undefined}
            tabIndex={year === tabStop ? undefined : -1}
            className={isOwn(year) ? 'tick own' : year % 10 === 0 || year === first ? 'tick' : undefined}
          >
            {`${year} `}
            <b>{count}</b>
          </button>
        ),
      )}
    </Form>
  );
}

function moveFocus({ key, currentTarget }: KeyboardEvent<HTMLButtonElement>): void {
  const buttons = [...(currentTarget.form?.querySelectorAll('button') ?? [])];
  buttons.sort((a, b) => a.offsetLeft - b.offsetLeft);
  const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
  if (step) buttons[buttons.indexOf(currentTarget) + step]?.focus();
}
