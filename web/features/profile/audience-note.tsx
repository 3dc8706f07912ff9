import { createContext, useContext } from 'react';
import {
  type Audience,
  type ProfileField,
  type VisibilityChoices,
  getEffectiveAudience,
} from '#contract/visibility.ts';
import { Icon } from '#web/ui/icon.tsx';

/** Null unless owners look at their own profile. */
export const Choices = createContext<VisibilityChoices | null>(null);

const signs = {
  everyone: { icon: 'globe', label: 'Everyone' },
  members: { icon: 'users-round', label: 'Members only' },
  me: { icon: 'lock', label: 'Only you' },
} as const;

/** Returns the audience that most of the fields have, or null if the viewer is not the owner. */
export function useCommonAudience(fields: readonly ProfileField[]): Audience | null {
  const choices = useContext(Choices);
  if (!choices) return null;
  const audiences = fields.map((field) => getEffectiveAudience(field, choices));
  const count = (audience: Audience) => audiences.filter((other) => other === audience).length;
  return audiences.toSorted((one, other) => count(other) - count(one))[0] ?? null;
}

interface NoteProps {
  field: ProfileField;
  /** Name of the field, for a note that is not beside it. */
  of?: string;
  /** With this audience, the field has no note. */
  usual?: Audience | null | undefined;
}

export function AudienceNote({ field, of, usual = 'everyone' }: NoteProps) {
  const choices = useContext(Choices);
  const audience = choices && getEffectiveAudience(field, choices);
  return audience !== null && audience !== usual && <Note audience={audience} of={of} />;
}

export const SectionAudience = ({ audience }: { audience: Audience | null }) =>
  audience !== null && audience !== 'everyone' && <Note audience={audience} />;

function Note({ audience, of }: { audience: Audience; of?: string | undefined }) {
  const { icon, label } = signs[audience];
  return (
    <span className="inline-flex items-center gap-1 text-sm font-normal text-ink-soft print:hidden">
      <Icon name={icon} className="size-3.5" />
      {of && `${of}: `}
      {label}
    </span>
  );
}
