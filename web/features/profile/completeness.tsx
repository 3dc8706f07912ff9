import { type FormField, type Profile, fieldsWithNone, noneValue, toForm } from '#contract/profile.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { Link } from '../../platform/link.tsx';

/** The fields that others look for and that a saved profile can lack. */
const fieldLabels: Partial<Record<FormField, string>> = {
  imgURL: 'a portrait',
  interest: 'your interests',
  bio: 'a short bio',
  fullBio: 'a full bio',
  contactNumber: 'a contact number',
  homeAddress: 'a home address',
  xHandle: 'an X handle',
  facebookName: 'a Facebook name',
  linkedinName: 'a LinkedIn name',
};

export interface Completeness {
  readonly percent: number;
  /** What is missing, in words. */
  readonly missing: readonly string[];
}

/** Returns how complete a stored profile is. Fields for which its owner has chosen "I have none" do not count. */
export function measureCompleteness(stored: Profile): Completeness {
  const values = toForm(stored);
  const hasNone = (field: FormField) =>
    values[field] === noneValue && (fieldsWithNone as readonly FormField[]).includes(field);
  const counted = (Object.keys(fieldLabels) as FormField[]).filter((field) => !hasNone(field));
  const missing = counted.filter((field) => !values[field] || values[field] === noneValue);
  return {
    percent: Math.round((1 - missing.length / counted.length) * 100),
    missing: missing.map((field) => fieldLabels[field] ?? field),
  };
}

const listFormat = new Intl.ListFormat('en');

/** Shows owners how complete their profile is, and what is missing. */
export function CompletenessRing({ percent, missing }: Completeness) {
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
        {missing.length === 0 && <path d="m14 20.5 4 4 8-9" strokeWidth="3" className="stroke-gold-strong" />}
      </svg>
      {missing.length === 0 ? (
        'Your profile is complete.'
      ) : (
        <span>
          <strong className="font-semibold text-ink nums">{percent}% complete.</strong>{' '}
          <Link to={withParam(paths.settings, 'section', 'information')} className="link">
            Add {listFormat.format(missing)}
          </Link>
        </span>
      )}
    </p>
  );
}
