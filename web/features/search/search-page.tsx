import { useLoaderData, useNavigation, useRevalidator } from 'react-router';
import { gridClass } from '../../domain/card-grid.ts';
import { paths } from '../../domain/paths.ts';
import { GridCard } from '../../domain/person-card.tsx';
import { Link } from '../../platform/link.tsx';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
import type { SearchData } from './routes.ts';

/** The field is the one in the header; here is what it finds. */
export function SearchPage() {
  const loaded = useLoaderData<SearchData>();
  const { state, location } = useNavigation();
  const { revalidate, state: retrying } = useRevalidator();
  const isLooking = state === 'loading' && location?.pathname === paths.search;
  return (
    <div className="mx-auto max-w-[1600px] px-4 py-6 lg:px-8">
      <h1 className="text-xl font-bold lg:text-2xl">Search</h1>
      <div role="status" className="min-h-9 py-1 text-ink-soft">
        {isLooking ? 'Loading...' : <Outcome loaded={loaded} />}
      </div>
      {loaded.failed && <FetchFailure busy={retrying === 'loading'} onRetry={() => void revalidate()} />}
      {!loaded.failed && loaded.found && loaded.found.items.length > 0 && (
        <ul className={`mt-2 ${gridClass} ${isLooking ? 'opacity-60' : ''}`}>
          {loaded.found.items.map((card, index) => (
            <li key={card.id}>
              <GridCard card={card} isFirst={index < 4} />
            </li>
          ))}
        </ul>
      )}
      {!loaded.failed && loaded.found?.items.length === 0 && (
        <p className="mt-6 max-w-[66ch]">
          Try fewer words, or only the beginning of a name: marks and capitals do not matter. Or{' '}
          <Link className="link" to={`${paths.dashboard}?department=all`}>
            look through everybody
          </Link>
          .
        </p>
      )}
    </div>
  );
}

function Outcome({ loaded }: { loaded: SearchData }) {
  if (loaded.failed) return null;
  const { q, found } = loaded;
  if (!found) return 'Type a name, a department or a matric number above. The beginning of each word is enough.';
  const count = found.items.length;
  if (count === 0) return `Nobody found for “${q}”`;
  return found.more
    ? `The best ${count} for “${q}”. Another word narrows it down`
    : `${count} ${count === 1 ? 'person' : 'people'} for “${q}”`;
}
