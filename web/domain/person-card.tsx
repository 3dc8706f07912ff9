import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Card } from '#contract/directory.ts';
import { useIsOwnClass } from './own-class.ts';
import { paths } from './paths.ts';
import { Portrait } from './portrait.tsx';

/** Classes of a grid of cards: as many columns of at least 160 px as fit, and at least two. */
export const gridClass =
  'grid grid-cols-[repeat(auto-fill,minmax(min(10rem,50%-0.375rem),1fr))] gap-x-3 gap-y-5 lg:gap-x-4';

interface Props {
  card: Card;
  /** Whether the card is at the top of the page, so that its picture loads eagerly. */
  isFirst: boolean;
}

/** The whole card is one link with one focus ring. */
export function GridCard({ card, isFirst }: Props) {
  return (
    <Link to={paths.user(card.id)} className="group block h-full print-shape">
      <span className="relative block">
        <Portrait card={card} isFirst={isFirst} />
        <ClassYear card={card} className="absolute bottom-0 left-0 rounded-tr-lg pt-1 pr-2 text-lg" />
      </span>
      <span className="grid gap-0.5 pt-2 text-sm wrap-anywhere text-ink-soft">
        <Name name={card.name} />
        <span>{card.department}</span>
        <Labels card={card} />
        {card.matricNumber !== undefined && <span className="nums">{card.matricNumber}</span>}
      </span>
    </Link>
  );
}

interface RowProps {
  card: Card;
  /** With highlighted search matches. Defaults to the texts without highlights. */
  shown?: RowTexts;
  children?: ReactNode;
}

export type RowTexts = { readonly [Field in 'name' | 'department' | 'matricNumber']?: ReactNode };

export function ListRow({ card, shown = card, children }: RowProps) {
  return (
    <Link
      to={paths.user(card.id)}
      className="group flex min-h-14 items-center gap-3 border-b border-line py-1 text-sm text-ink-soft hover:bg-wash"
    >
      <span className="w-10 shrink-0">
        <Portrait card={card} isSmall className="text-sm" />
      </span>
      <span className="grid min-w-0 grow gap-x-4 wrap-anywhere md:grid-cols-[3fr_2fr_repeat(2,minmax(max-content,1fr))] md:items-center">
        <span>
          <Name name={shown.name} />
          {children}
        </span>
        <span>{shown.department}</span>
        <span className="flex flex-wrap gap-x-3 md:contents">
          <Labels card={card} />
          <span className="nums">{shown.matricNumber}</span>
        </span>
      </span>
      <ClassYear card={card} className="w-18 shrink-0 rounded-lg py-1.5 text-right text-lg" />
    </Link>
  );
}

const Labels = ({ card: { schoolLabel, label } }: { card: Card }) => (
  <span className="flex items-center gap-2">
    <span>{schoolLabel}</span>
    <span className="rounded-full bg-wash px-2 text-xs">{label}</span>
  </span>
);

/** Emphasises the last word, because lists are sorted by it. A name with highlighted matches stays as it is. */
function Name({ name }: { name: ReactNode }) {
  const end = typeof name === 'string' ? name.lastIndexOf(' ') + 1 : 0;
  return (
    <span className="text-base leading-snug text-ink group-hover:text-brand group-hover:underline">
      {typeof name === 'string' ? (
        <>
          {name.slice(0, end)}
          <b>{name.slice(end)}</b>
        </>
      ) : (
        name
      )}
    </span>
  );
}

function ClassYear({ card: { department, yearGraduated }, className }: { card: Card; className: string }) {
  const isOwn = useIsOwnClass()(department, yearGraduated);
  return (
    yearGraduated && (
      <span className={`year ${isOwn ? 'bg-gold px-2 text-gold-ink' : 'bg-surface text-brand'} ${className}`}>
        {yearGraduated}
      </span>
    )
  );
}
