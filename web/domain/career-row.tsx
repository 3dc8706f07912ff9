import { Link } from 'react-router';
import type { CareerCard } from '#contract/careers.ts';
import { countryName } from '#contract/country-name.ts';
import { paths } from './paths.ts';
import { ClassYear, PersonName } from './person-card.tsx';
import { Portrait } from './portrait.tsx';

/** People with work and place under their names. */
export const CareerRows = ({ people, className = '' }: { people: readonly CareerCard[]; className?: string }) => (
  <ul className={`border-t border-line ${className}`}>
    {people.map((card) => (
      <li key={card.id}>
        <CareerRow card={card} />
      </li>
    ))}
  </ul>
);

function CareerRow({ card }: { card: CareerCard }) {
  const { role, employer, city, country, department } = card;
  const work = [role, employer].filter(Boolean).join(', ');
  const place = [city, country && countryName(country)].filter(Boolean).join(', ');
  return (
    <Link
      to={paths.user(card.id)}
      className="group flex min-h-14 items-center gap-3 border-b border-line py-2 text-sm text-ink-soft hover:bg-wash"
    >
      <span className="w-10 shrink-0 self-start">
        <Portrait card={card} isSmall className="text-sm" />
      </span>
      <span className="grid min-w-0 grow gap-x-4 wrap-anywhere md:grid-cols-[2fr_1fr_1fr] md:items-center">
        <span className="min-w-0">
          <PersonName name={card.name} />
          {work && <span className="block text-ink">{work}</span>}
        </span>
        <span suppressHydrationWarning className="min-w-0">
          {place}
        </span>
        <span className="min-w-0">{department}</span>
      </span>
      <span className="w-14 shrink-0 text-right">
        <ClassYear card={card} isInClass={false} className="inline-block rounded-lg py-1.5 text-lg" />
      </span>
    </Link>
  );
}
