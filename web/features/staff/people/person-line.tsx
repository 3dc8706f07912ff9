import type { PersonFile } from '#contract/staff/people.ts';
import { identityOf, nameOf } from './people-labels.ts';

/** Says in a dialog whom it is about: several people can have the same name. */
export const PersonLine = ({ person }: { person: PersonFile }) => (
  <p className="wrap-anywhere">
    <strong>{nameOf(person)}</strong> <span className="text-ink-soft">{identityOf(person)}</span>
  </p>
);
