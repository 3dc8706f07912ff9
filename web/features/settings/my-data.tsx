import { toWireRequest } from '#contract/call.ts';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { DisclosureReason } from '#contract/staff/people.ts';
import { ButtonAnchor } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Group } from '#web/ui/group.tsx';

/** Looks of staff at what the user hides, and exports that contained the user. */
export type OfficeAccess = CallResult<Endpoints['GET /api/users/{id}/disclosures']>;

/** A plain link, so that the download works without JavaScript. */
export function MyData({ uid, access }: { uid: string; access: OfficeAccess }) {
  const { url } = toWireRequest('GET /api/users/{id}/export', { params: { id: uid } });
  return (
    <Group
      heading="My data"
      hint="Everything that the archive stores about you in one ZIP file: your profile (also as a contact card for address books), your pictures and your account data. Keep the file where only you can read it."
    >
      <p>
        <ButtonAnchor href={url} download>
          Download my data
        </ButtonAnchor>
      </p>
      <Access access={access} />
    </Group>
  );
}

const reasons: Record<DisclosureReason, string> = {
  'asked-for-help': 'you asked for help',
  'claim-or-dispute': 'to decide a claim or a dispute',
  report: 'to decide a report',
  'legal-request': 'a legal request',
  other: 'another reason',
};

const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

function Access({ access: { disclosures, exports } }: { access: OfficeAccess }) {
  return (
    <div className="grid max-w-[66ch] gap-2">
      {disclosures.length === 0 ? (
        <p>The alumni office has not looked at what you hide.</p>
      ) : (
        <>
          <p>The alumni office looked at your hidden details {times(disclosures.length)}:</p>
          <ul className="list-disc pl-5 text-ink-soft">
            {disclosures.map(({ at, reason, text }) => (
              <li key={at} className="wrap-anywhere">
                <Day of={at} />: {text || reasons[reason]}
              </li>
            ))}
          </ul>
        </>
      )}
      {exports.lastAt !== null && (
        <p>
          It downloaded a list that contains you {times(exports.count)}, the last time on <Day of={exports.lastAt} />.
          Such a list has only what members see of you.
        </p>
      )}
    </div>
  );
}
