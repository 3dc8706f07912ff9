import { Link } from 'react-router';
import type { Card } from '#contract/directory.ts';
import { paths } from './paths.ts';
import { Portrait } from './portrait.tsx';

export const faceRow =
  '-mx-4 flex gap-3 overflow-x-auto px-4 py-1 lg:mx-0 lg:grid lg:grid-cols-4 lg:overflow-visible lg:px-0 xl:grid-cols-6';
export const faceItem = 'w-20 shrink-0 lg:w-auto';

export function Faces({ cards, label }: { cards: readonly Card[]; label: string }) {
  return (
    <ul aria-label={label} className={faceRow}>
      {cards.map((card) => (
        <li key={card.id} className={faceItem}>
          <Face card={card} />
        </li>
      ))}
    </ul>
  );
}

export const Face = ({ card }: { card: Card }) => (
  <Link to={paths.user(card.id)} className="group grid gap-1 text-center text-xs leading-tight print-shape">
    <Portrait card={card} isSmall className="text-lg" />
    <span className="text-balance wrap-break-word group-hover:text-brand group-hover:underline">
      {card.name.replace(/ .* /u, ' ')}
    </span>
  </Link>
);
