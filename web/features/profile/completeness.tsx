import { Link } from 'react-router';
import { noneValue } from '#contract/none.ts';
import type { Profile } from '#contract/profile.ts';
import { paths, withParam } from '#web/domain/paths.ts';

export interface Completeness {
  readonly percent: number;
  readonly missing: readonly string[];
}

/**
 * Fields for which the owner has chosen "I have none" do not count. Reads the document itself, because `toForm` would
 * load the schemas of the profile.
 */
export function measureCompleteness({ social, ...stored }: Profile): Completeness {
  const fields: [label: string, value: string | null | undefined][] = [
    ['a portrait', stored.imgURL],
    ['your interests', stored.interest],
    ['a short bio', stored.bio],
    ['a full bio', stored.fullBio],
    ['a contact number', stored.contactNumber],
    ['a home address', stored.homeAddress],
    ...[social.x, social.facebook, social.linkedin]
      .filter((name) => name !== noneValue)
      .map((name): [string, string | undefined] => ['a social name', name]),
  ];
  const missing = fields.filter(([, value]) => !value || value === noneValue).map(([label]) => label);
  return { percent: Math.round((1 - missing.length / fields.length) * 100), missing };
}

const listFormat = new Intl.ListFormat('en');

export function CompletenessRing({ percent, missing }: Completeness) {
  if (missing.length === 0) return null;
  return (
    <p className="flex items-center gap-3 text-sm text-ink-soft">
      <svg viewBox="0 0 40 40" className="size-10 shrink-0" fill="none" strokeWidth="5" aria-hidden="true">
        <circle cx="20" cy="20" r="16" className="stroke-line" />
        <circle
          cx="20"
          cy="20"
          r="16"
          pathLength="100"
          strokeDasharray={`${percent} 100`}
          transform="rotate(-90 20 20)"
          className="stroke-gold-strong"
        />
      </svg>
      <span>
        <strong className="font-semibold text-ink nums">{percent}% complete.</strong>{' '}
        <Link to={withParam(paths.settings, 'section', 'information')} className="link">
          Add {listFormat.format(missing)}
        </Link>
      </span>
    </p>
  );
}
