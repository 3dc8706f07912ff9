import { Link } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { Card, CardPage } from '#contract/directory.ts';
import { useIsOwnClass } from '#web/domain/own-class.ts';
import { paths } from '#web/domain/paths.ts';
import { GridCard, ListRow } from '#web/domain/person-card.tsx';
import { useUser } from '#web/domain/root-data.ts';
import type { YearAxis } from '#web/domain/year-list.ts';
import { type DirectoryView, sortOf, toViewPath } from './filters.ts';

interface Props {
  view: DirectoryView;
  years: YearAxis;
  pages: readonly CardPage[];
}

export function CardSections({ view, years, pages }: Props) {
  const isByClass = sortOf(view, useUser()) === 'class';
  const isGrid = view.layout === 'grid';
  const blocks = isByClass ? groupByClass(pages) : pages.map(({ items }) => [{ year: undefined, cards: items }]);
  return blocks.map((sections, block) => (
    <div
      key={sections[0]?.cards[0]?.id}
      className={`${isByClass && isGrid ? 'cards' : ''} ${block > 0 ? 'far-pages-rest' : ''}`}
    >
      {sections.map(({ year, cards }, index) => {
        const isFirst = block === 0 && index === 0;
        const list = isGrid ? (
          <Grid cards={cards} isFirst={block === 0} isInClass={isByClass} />
        ) : (
          <List cards={cards} isInClass={isByClass} />
        );
        if (!isByClass)
          return (
            <div key={cards[0]?.id} className={isFirst ? 'mt-4 lg:mt-6' : undefined}>
              {list}
            </div>
          );
        const width = isFirst ? 'col-span-full' : widthOf(cards.length);
        return (
          <section
            key={year ?? 0}
            aria-label={year === undefined ? 'No class year' : `Class of ${year}`}
            className={`${isGrid ? width : 'mb-6'} ${isFirst ? 'max-sm:mt-2' : ''}`}
          >
            <ClassHeading
              view={view}
              year={year}
              count={year && years.counts[year - years.first]}
              isNarrow={isGrid && cards.length === 1 && !isFirst}
            />
            {list}
          </section>
        );
      })}
    </div>
  ));
}

interface Section {
  readonly year: number | undefined;
  readonly cards: Card[];
}

/** Returns the classes that begin on each page. The rest of a class is on the page on which it begins. */
function groupByClass(pages: readonly CardPage[]): Section[][] {
  let last: Section | undefined;
  return pages
    .map(({ items }) => {
      const sections: Section[] = [];
      for (const card of items) {
        if (!last || last.year !== card.yearGraduated) sections.push((last = { year: card.yearGraduated, cards: [] }));
        last.cards.push(card);
      }
      return sections;
    })
    .filter(({ length }) => length > 0);
}

/** Small classes stand side by side. A grid has two columns or more, from 640 px three, and from 1280 px five. */
const widthOf = (cards: number): string =>
  ['', '', 'col-span-2', 'col-span-2 sm:col-span-3', 'col-span-full xl:col-span-4', 'col-span-full xl:col-span-5'][
    cards
  ] ?? 'col-span-full';

interface HeadingProps {
  view: DirectoryView;
  year: number | undefined;
  count: number | undefined;
  isNarrow: boolean;
}

function ClassHeading({ view, year, count, isNarrow }: HeadingProps) {
  const isOwn = useIsOwnClass()(view.filters.department, year);
  const path = year === undefined ? undefined : classPathOf(view, year);
  const isClass = view.filters.department !== undefined;
  const linkText = isClass ? 'See class' : 'See year';
  return (
    <div
      className={`sticky top-14 z-10 col-span-full mb-2 flex flex-wrap items-baseline self-end bg-surface py-1 text-ink-soft lg:top-16 print:static ${isNarrow ? 'gap-x-1.5 text-xs' : 'gap-x-3 text-sm'} ${isOwn ? 'border-b-3 border-gold-strong' : 'border-b border-line'}`}
    >
      <h2 className={year ? 'year text-[3rem] text-brand' : 'text-lg font-bold text-ink'}>
        {isNarrow && path ? (
          <Link to={path} className="hover:underline">
            {year}
          </Link>
        ) : (
          (year ?? 'No class year')
        )}
      </h2>
      {count !== undefined && <span className="nums">{formatPeople(count)}</span>}
      {isOwn && <span className="rounded-full bg-gold px-2 font-semibold text-gold-ink max-sm:hidden">Your class</span>}
      {path && !isNarrow && (
        <Link to={path} aria-label={`${linkText}${isClass ? ' of' : ''} ${year}`} className="link print:hidden">
          {linkText}
        </Link>
      )}
    </div>
  );
}

function classPathOf({ filters, ...view }: DirectoryView, year: number): string | undefined {
  const { department, graduatedFrom, graduatedTo } = filters;
  if (department !== undefined) return paths.classOf(department, year);
  if (graduatedFrom === year && graduatedTo === year) return undefined;
  return toViewPath({ ...view, filters: { ...filters, graduatedFrom: year, graduatedTo: year }, after: undefined });
}

interface CardsProps {
  cards: readonly Card[];
  isInClass: boolean;
}

function Grid({ cards, isFirst, isInClass }: CardsProps & { isFirst: boolean }) {
  return (
    <ul className="cards col-span-full">
      {cards.map((card, index) => (
        <li key={card.id}>
          <GridCard card={card} isFirst={isFirst && index < 4} isInClass={isInClass} />
        </li>
      ))}
    </ul>
  );
}

const List = ({ cards, isInClass }: CardsProps) => (
  <ul className={isInClass ? '-mt-2' : 'border-t border-line'}>
    {cards.map((card) => (
      <li key={card.id}>
        <ListRow card={card} isInClass={isInClass} />
      </li>
    ))}
  </ul>
);
