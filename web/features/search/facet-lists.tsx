import { Link } from 'react-router';
import type { DirectoryFilters, Facets } from '#contract/directory.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { reword } from '#web/platform/words.ts';
import { Icon } from '#web/ui/icon.tsx';
import { toSearchPath } from './search-data.ts';

interface Props {
  q: string;
  filters: DirectoryFilters;
  /** Null if too many people match to count them. */
  facets: Facets | null;
  isCounting: boolean;
}

interface Choice {
  readonly text: string;
  readonly count: number;
  readonly isChosen: boolean;
  readonly to: DirectoryFilters;
}

/** Per facet, those with the most people first. The others appear on request. */
const maxShownChoices = 8;

export function FacetLists({ q, filters, facets, isCounting }: Props) {
  const lists = toLists(facets, filters);
  const isHydrated = useHydrated();
  if (!facets && Object.keys(filters).length === 0)
    return (
      <p className="px-2 text-sm text-ink-soft">
        {!isHydrated ? (
          <noscript>
            <span>Filters need JavaScript.</span>
          </noscript>
        ) : isCounting ? (
          'Loading filters...'
        ) : (
          'Add a word to filter the results.'
        )}
      </p>
    );
  if (lists.length === 0 && Object.keys(filters).length === 0) return null;
  return (
    <nav aria-label="Filter results" className="grid gap-5">
      {Object.keys(filters).length > 0 && (
        <Link className="link" to={toSearchPath(q, {})}>
          All results
        </Link>
      )}
      {lists.map(({ heading, choices }) => (
        <section key={heading}>
          <h2 className="mb-1 text-sm font-semibold text-ink-soft">{heading}</h2>
          <Choices q={q} choices={choices.slice(0, maxShownChoices)} />
          {choices.length > maxShownChoices && (
            <details>
              <summary className="link flex min-h-11 cursor-pointer items-center px-2 lg:min-h-9">
                Show {choices.length - maxShownChoices} more
              </summary>
              <Choices q={q} choices={choices.slice(maxShownChoices)} />
            </details>
          )}
        </section>
      ))}
    </nav>
  );
}

function Choices({ q, choices }: { q: string; choices: readonly Choice[] }) {
  return (
    <ul>
      {choices.map(({ text, count, isChosen, to }) => (
        <li key={text}>
          <Link
            to={toSearchPath(q, to)}
            aria-current={isChosen ? 'true' : undefined}
            className="flex min-h-11 items-center gap-2 rounded-control px-2 hover:bg-wash aria-[current]:bg-wash aria-[current]:font-semibold aria-[current]:text-brand lg:min-h-9"
          >
            <span className="min-w-0 grow wrap-anywhere">{text}</span>
            <span className="text-sm text-ink-soft nums">{count.toLocaleString('en')}</span>
            {isChosen && (
              <>
                <span className="sr-only">, selected, press to remove this filter</span>
                <Icon name="check" className="size-4 shrink-0" />
              </>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function toLists(facets: Facets | null, filters: DirectoryFilters) {
  if (!facets) return [];
  return [
    { heading: reword('College'), choices: toChoices(facets.colleges, filters, 'college') },
    { heading: reword('Department'), choices: toChoices(facets.departments, filters, 'department') },
    { heading: 'Program', choices: toChoices(facets.programs, filters, 'program') },
    { heading: 'Graduated', choices: toDecadeChoices(facets.years, filters) },
  ].filter(({ choices }) => choices.length > 1 || choices.some(({ isChosen }) => isChosen));
}

function toChoices(
  values: Facets['colleges'],
  filters: DirectoryFilters,
  name: 'college' | 'department' | 'program',
): Choice[] {
  const { [name]: chosen, ...others } = filters;
  return values
    .map(({ value, count }) => ({
      text: value,
      count,
      isChosen: value === chosen,
      to: value === chosen ? others : { ...others, [name]: value },
    }))
    .toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen) || b.count - a.count);
}

function toDecadeChoices(years: Facets['years'], filters: DirectoryFilters): Choice[] {
  const { graduatedFrom, graduatedTo, ...others } = filters;
  const counts = new Map<number, number>();
  for (const { value, count } of years) {
    const decade = Math.floor(value / 10) * 10;
    counts.set(decade, (counts.get(decade) ?? 0) + count);
  }
  return [...counts]
    .toSorted(([a], [b]) => b - a)
    .map(([decade, count]) => {
      const isChosen = graduatedFrom === decade && graduatedTo === decade + 9;
      return {
        text: `${decade}s`,
        count,
        isChosen,
        to: isChosen ? others : { ...others, graduatedFrom: decade, graduatedTo: decade + 9 },
      };
    });
}
