import type { PersonFile } from '#contract/staff/people.ts';
import { itemStates } from '#contract/staff/values.ts';
import { callApi } from '#web/platform/api.ts';
import { Link } from 'react-router';
import { Day } from '#web/ui/day.tsx';
import { ClosedLine } from '../review/closed-item.tsx';
import { reviewDetails } from '../review/review-details.ts';
import { keyOf, reasonOf } from '../review/review-items.ts';
import { staffPath } from '../staff-paths.ts';
import { ListNote } from '../ui/list-note.tsx';
import { Section } from '../ui/section.tsx';
import { useRequest } from '../ui/use-request.ts';

/** Pending items come first, then the decided ones, the latest first. Only items that the user may decide. */
export function PersonItems({ file }: { file: PersonFile }) {
  const [lists, failure] = useRequest(file, () =>
    Promise.all(itemStates.map((state) => callApi('GET /api/staff/queue', { query: { state, person: file.id } }))),
  );
  const items = lists?.flatMap((list) => list.items);
  return (
    <Section heading="Review items">
      <ListNote items={items} failure={failure} empty="None." />
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
