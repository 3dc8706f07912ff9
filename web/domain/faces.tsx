import { Link } from 'react-router';
import type { Card } from '#contract/directory.ts';
import { paths } from './paths.ts';
import { Portrait } from './portrait.tsx';

export function Faces({ cards, label }: { cards: readonly Card[]; label: string }) {
  return (
    <ul aria-label={label} className="-mx-4 flex gap-3 overflow-x-auto px-4 py-1 lg:-mx-1 lg:flex-wrap lg:px-1">
      {cards.map((card) => (
        <li key={card.id} className="w-20 shrink-0">
          <Face card={card} />
        </li>
      ))}
    </ul>
  );
}

export const Face = ({ card }: { card: Card }) => (
  <Link to={paths.user(card.id)} className="group grid gap-1 text-center text-xs leading-tight print-shape">
    <Portrait card={card} isSmall className="text-lg" />
    <span className="wrap-break-word group-hover:text-brand group-hover:underline">
      {card.name.replace(/ .* /u, ' ')}
    </span>
  </Link>
);
