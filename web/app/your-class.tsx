import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { Card } from '#contract/directory.ts';
import { paths } from '#web/domain/paths.ts';
import { Portrait } from '#web/domain/portrait.tsx';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';

export function YourClass() {
  const user = useUser();
  if (!isMember(user) || !user.department || !user.yearGraduated) return null;
  const { uid, department, yearGraduated: year } = user;
  // The key forgets what was loaded for another user, or for another class of the user.
  return <ClassLink key={`${uid} ${department} ${year}`} uid={uid} department={department} year={year} />;
}

interface Props {
  uid: string;
  department: string;
  year: number;
}

function ClassLink({ uid, department, year }: Props) {
  const found = useClassmates({ uid, department, year });
  return (
    <Link
      to={paths.classOf(department, year)}
      className="group mx-3 mt-4 hidden border-t-3 border-gold-strong pt-3 text-sm text-ink-soft lg:block"
    >
      <span className="flex items-baseline justify-between">
        Your class {found && <span className="nums">{formatPeople(found.count)}</span>}
      </span>{' '}
      <span className="year block text-[2.5rem] text-ink">{year}</span>{' '}
      <span className="mt-1 block wrap-break-word group-hover:text-brand group-hover:underline">{department}</span>
      <span className={`mt-3 flex gap-2 ${found?.cards.length === 0 ? '' : 'h-11.25'}`}>
        {found?.cards.map((card) => (
          <span key={card.id} className="w-9">
            <Portrait card={card} isSmall className="text-xs" />
          </span>
        ))}
      </span>
    </Link>
  );
}

const shownClassmates = 5;

/** Returns undefined until loaded. Nothing is loaded on screens without a sidebar. */
function useClassmates({ uid, department, year }: Props): { cards: readonly Card[]; count: number } | undefined {
  const [found, setFound] = useState<{ cards: readonly Card[]; count: number }>();
  useEffect(() => {
    if (!matchMedia('(width >= 64rem)').matches) return;
    const query = { department, graduatedFrom: year, graduatedTo: year };
    Promise.all([
      callApi('GET /api/users', { query: { ...query, limit: shownClassmates + 1 } }),
      callApi('GET /api/users/count', { query }),
    ]).then(
      ([{ items }, { count }]) =>
        setFound({ cards: items.filter(({ id }) => id !== uid).slice(0, shownClassmates), count }),
      // Without them, the link still works.
      () => undefined,
    );
  }, [uid, department, year]);
  return found;
}
