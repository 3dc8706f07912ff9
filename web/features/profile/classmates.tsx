import { useEffect, useId, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { Card } from '#contract/directory.ts';
import type { Profile } from '#contract/profile.ts';
import { faceItem, faceRow, Faces } from '#web/domain/faces.tsx';
import { useIsOwnClass } from '#web/domain/own-class.ts';
import { paths } from '#web/domain/paths.ts';
import { callApi } from '#web/platform/api.ts';
import { sectionHeading } from './section-heading.ts';

const maxFaces = 12;

/** Rendered only if the viewer sees the person's department and year of graduation. */
export function Classmates({ profile: { id, academic } }: { profile: Profile }) {
  const { department, year } = academic;
  return department === undefined || year.graduated === undefined ? null : (
    <ClassFaces id={id} department={department} year={year.graduated} />
  );
}

/**
 * Loads the faces when the end of the profile comes into view. So the profile never waits for them, and readers who do
 * not scroll that far spend none of their pages of lists (decision 18). A failure shows nothing.
 */
function ClassFaces({ id, department, year }: { id: string; department: string; year: number }) {
  const end = useRef<HTMLDivElement>(null);
  const heading = useId();
  const isOwn = useIsOwnClass()(department, year);
  const [cards, setCards] = useState<readonly Card[] | 'later' | 'loading'>('later');
  const isEmpty = Array.isArray(cards) && cards.length === 0;
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      observer.disconnect();
      setCards('loading');
      // One more, because the list contains the person.
      const query = { department, graduatedFrom: year, graduatedTo: year, limit: maxFaces + 1 };
      callApi('GET /api/users', { query }).then(
        ({ items }) => setCards(items.filter((card) => card.id !== id).slice(0, maxFaces)),
        () => setCards([]),
      );
    });
    if (end.current) observer.observe(end.current);
    return () => observer.disconnect();
  }, [id, department, year]);
  return (
    <div ref={end} className="min-h-px min-w-0 print:hidden">
      {!isEmpty && (
        <section aria-labelledby={heading} className="needs-scripts grid gap-3">
          <h2 id={heading} className={`${sectionHeading} ${isOwn ? 'border-b-3! border-gold-strong!' : ''}`}>
            Also in the class of {year}
          </h2>
          {typeof cards === 'string' ? <Outline /> : <Faces cards={cards} label={`Class of ${year}`} />}
          {cards === 'loading' && <p className="sr-only">Loading...</p>}
          <p>
            <Link to={paths.classOf(department, year)} className="link inline-flex min-h-11 items-center">
              See the whole class
            </Link>
          </p>
        </section>
      )}
    </div>
  );
}

const Outline = () => (
  <ul aria-hidden="true" className={faceRow}>
    {Array.from({ length: maxFaces }, (_, index) => (
      <li key={index} className={faceItem}>
        <span className="mb-1 block aspect-[4/5] bg-line print-shape" />
        <span className="block h-7.5" />
      </li>
    ))}
  </ul>
);
