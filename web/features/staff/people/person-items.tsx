import { useEffect, useState } from 'react';
import type { PersonFile } from '#contract/staff/people.ts';
import type { ReviewItem } from '#contract/staff/review.ts';
import { itemStates } from '#contract/staff/values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { Link } from 'react-router';
import { Day } from '#web/ui/day.tsx';
import { ClosedLine } from '../review/closed-item.tsx';
import { reviewDetails } from '../review/review-details.ts';
import { keyOf, reasonOf } from '../review/review-items.ts';
import { staffPath } from '../staff-paths.ts';
import { Section } from '../ui/section.tsx';

/** Pending items come first, then the decided ones, the latest first. Only items that the user may decide. */
export function PersonItems({ file }: { file: PersonFile }) {
  const [items, setItems] = useState<readonly ReviewItem[] | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const { id: person } = file;
    let isCurrent = true;
    Promise.all(itemStates.map((state) => callApi('GET /api/staff/queue', { query: { state, person } }))).then(
      (lists) => isCurrent && setItems(lists.flatMap((list) => list.items)),
      (error: unknown) => isCurrent && setFailure(messageOf(problemOf(error))),
    );
    return () => {
      isCurrent = false;
    };
  }, [file]);
  return (
    <Section heading="Review items">
      {failure !== '' && <p role="alert">{failure}</p>}
      {items?.length === 0 && <p>None.</p>}
      {items && items.length > 0 && (
        <ul className="grid gap-2">
          {items.map((item) => (
            <li key={keyOf(item)} className="wrap-anywhere">
              <Link to={staffPath('review', keyOf(item))} className="link">
                {reviewDetails[item.kind].label}
              </Link>
              {': '}
              {item.closed ? (
                <ClosedLine kind={item.kind} closed={item.closed} />
              ) : (
                <>
                  {reasonOf(item)}, waiting since <Day of={item.since} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
