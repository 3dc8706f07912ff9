import type { ReactNode } from 'react';
import { Link } from '../platform/link.tsx';
import type { Card } from '#contract/directory.ts';
import { initials, tintOf } from './people.ts';
import { PersonAvatar } from './person-avatar.tsx';
import { paths } from './paths.ts';

interface Props {
  card: Card;
  /** Whether the card is at the top of the page, so that its picture loads eagerly. */
  isFirst: boolean;
}

/** Shows a person as a card. The whole card is one link with one focus ring. */
export function GridCard({ card, isFirst }: Props) {
  return (
    <Link
      to={paths.user(card.id)}
      className="group flex h-full flex-col overflow-hidden rounded-card border border-line bg-raised smooth hover:border-brand-line hover:floating"
    >
      <Portrait card={card} isFirst={isFirst} />
      <span className="flex grow flex-col gap-1 p-3">
        <span className="leading-snug font-semibold wrap-anywhere group-hover:text-brand">{card.name}</span>
        {card.department && <span className="text-sm wrap-anywhere text-ink-soft">{card.department}</span>}
        <span className="mt-auto flex flex-wrap items-center gap-x-2 gap-y-1 pt-2 text-xs">
          <SchoolLine card={card} />
        </span>
        {card.matricNumber && <span className="text-xs text-ink-soft nums">{card.matricNumber}</span>}
      </span>
    </Link>
  );
}

interface RowProps {
  card: Card;
  /** Texts with highlighted search matches. Defaults to the texts without highlights. */
  shown?: RowTexts;
  /** Content below the name. */
  children?: ReactNode;
}

export type RowTexts = { readonly [Field in 'name' | 'department' | 'matricNumber']?: ReactNode };

/** Shows a person as one row of the list view, with the texts in the same order as on the card. */
export function ListRow({ card, shown = card, children }: RowProps) {
  return (
    <Link
      to={paths.user(card.id)}
      className="group flex min-h-14 items-center gap-3 border-b border-line bg-raised px-3 py-2 hover:bg-wash"
    >
      <PersonAvatar
        name={card.name}
        src={card.thumb?.replace('/192.', '/96.') ?? null}
        className="size-10 shrink-0 text-sm"
      />
      <span className="grid min-w-0 grow gap-x-4 md:grid-cols-[2fr_2fr_1fr] md:items-center">
        <span className="leading-snug font-semibold wrap-anywhere group-hover:text-brand">
          {shown.name}
          {children}
        </span>
        <span className="text-sm wrap-anywhere text-ink-soft">{card.department && shown.department}</span>
        <span className="hidden text-sm text-ink-soft nums md:block">{card.matricNumber && shown.matricNumber}</span>
      </span>
      <span className="flex shrink-0 items-center gap-2 text-xs max-md:*:not-[.bg-gold]:hidden">
        <SchoolLine card={card} />
      </span>
    </Link>
  );
}

function SchoolLine({ card: { schoolLabel, yearGraduated, label } }: { card: Card }) {
  return (
    <>
      <span className="font-semibold text-brand">{schoolLabel}</span>
      {yearGraduated && (
        <span className="rounded-full bg-gold px-2 py-0.5 font-semibold text-gold-ink nums">{yearGraduated}</span>
      )}
      <span className="text-ink-soft">{label}</span>
    </>
  );
}

function Portrait({ card: { thumb, name }, isFirst }: Pick<Props, 'card' | 'isFirst'>) {
  if (thumb === null) {
    return (
      <span
        aria-hidden="true"
        className={`tint tint-${tintOf(name)} grid aspect-[4/5] place-items-center text-3xl font-bold`}
      >
        {initials(name)}
      </span>
    );
  }
  // The size is set on the box and not on the picture, because a broken picture outside the viewport would be measured
  // with a height of 0.
  return (
    <span className="after-scripts aspect-[4/5] bg-line">
      <img
        src={thumb}
        srcSet={`${thumb} 192w, ${thumb.replace('/192.', '/384.')} 384w`}
        sizes="(min-width: 40rem) 192px, 96px"
        alt=""
        loading={isFirst ? 'eager' : 'lazy'}
        decoding="async"
        className="size-full object-cover"
      />
    </span>
  );
}
