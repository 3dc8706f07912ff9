import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Card } from '#contract/directory.ts';
import { useIsOwnClass } from './own-class.ts';
import { paths } from './paths.ts';
import { Portrait } from './portrait.tsx';

interface Props {
  card: Card;
  /** Whether the card is at the top of the page, so that its picture loads eagerly. */
  isFirst: boolean;
  /** Whether a heading shows the year. The card then shows it without colour. */
  isInClass?: boolean;
}

/** The whole card is one link with one focus ring. A grid of cards has the class `cards` (`main.css`). */
export function GridCard({ card, isFirst, isInClass = false }: Props) {
  const { given, surname } = splitName(card.name);
  return (
    <Link to={paths.user(card.id)} discover="none" className="card print-shape">
      <Portrait card={card} isFirst={isFirst} />
      <span className="name">
        <span>{given && `${given} `}</span>
        <b>{surname}</b>
      </span>
      <Labels card={card}>
        <ClassYear card={card} isInClass={isInClass} />
      </Labels>
      <span>
        {card.matricNumber !== undefined && <span className="block nums">{card.matricNumber}</span>}
        <span className="block">{card.department}</span>
      </span>
    </Link>
  );
}

interface RowProps {
  card: Card;
  shown?: RowTexts;
  isInClass?: boolean;
  children?: ReactNode;
}

export type RowTexts = { readonly [Field in 'name' | 'department' | 'matricNumber']?: ReactNode };

export function ListRow({ card, shown = card, isInClass = false, children }: RowProps) {
  return (
    <Link
      to={paths.user(card.id)}
      className="group flex min-h-14 items-center gap-3 border-b border-line py-1 text-sm text-ink-soft hover:bg-wash"
    >
      <span className="w-10 shrink-0">
        <Portrait card={card} isSmall className="text-sm" />
      </span>
      <span className="grid min-w-0 grow gap-x-4 wrap-break-word *:min-w-0 md:grid-cols-[6fr_5fr_max-content_7rem] md:items-center">
        <span>
          <PersonName name={shown.name} />
          {children}
        </span>
        <span>{shown.department}</span>
        <span className="flex flex-wrap items-baseline gap-x-3 md:contents">
          <Labels card={card} />
          <span className="nums">{shown.matricNumber}</span>
        </span>
      </span>
      <span className="nums w-18 shrink-0 text-right">
        {isInClass ? (
          card.yearGraduated
        ) : (
          <ClassYear card={card} isInClass={false} className="inline-block rounded-lg py-1.5 text-lg" />
        )}
      </span>
    </Link>
  );
}

function Labels({ card: { schoolLabel, label }, children }: { card: Card; children?: ReactNode }) {
  return (
    <span className="labels">
      {children}
      <span>{schoolLabel}</span>
      <span>{label}</span>
    </span>
  );
}

/** Lists are sorted by the last word of a name. */
export const surnameStart = (name: string): number => name.lastIndexOf(' ') + 1;

function splitName(name: string): { given: string; surname: string } {
  const start = surnameStart(name);
  return { given: name.slice(0, start).trimEnd(), surname: name.slice(start) };
}

/** A name with highlighted matches stays as it is. */
export function PersonName({ name }: { name: ReactNode }) {
  const { given, surname } = splitName(typeof name === 'string' ? name : '');
  return (
    <span className="name text-base leading-snug text-ink group-hover:text-brand group-hover:underline">
      {typeof name === 'string' ? (
        <>
          {given && `${given} `}
          <b>{surname}</b>
        </>
      ) : (
        name
      )}
    </span>
  );
}

interface YearProps {
  card: Card;
  isInClass: boolean;
  className?: string;
}

export function ClassYear({ card: { department, yearGraduated }, isInClass, className = '' }: YearProps) {
  const isOwn = useIsOwnClass()(department, yearGraduated);
  const look = isInClass ? '' : isOwn ? 'bg-gold px-1.5 text-gold-ink' : 'text-brand';
  return yearGraduated && <span className={`year ${look} ${className}`}>{yearGraduated}</span>;
}
