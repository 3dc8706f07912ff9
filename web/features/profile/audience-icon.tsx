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

export function AudienceIcon({
  field,
  usual = 'everyone',
  of,
}: {
  field: ProfileField;
  /** What the icon is about, if it is not beside it. The icon then has a visible label. */
  of?: string;
  usual?: Audience | null | undefined;
}) {
  const choices = useContext(Choices);
  const audience = choices && getEffectiveAudience(field, choices);
  if (audience === null || audience === usual) return null;
  const { icon, label: name } = signs[audience];
  const label = of === undefined ? name : `${of}: ${name}`;
  return (
    <>
      {of === undefined && '\u00A0'}
      <span title={label} className="inline-flex items-center gap-1 align-[-0.1em] text-ink-soft print:hidden">
        <Icon name={icon} className="size-3.5" />
        <span className={of === undefined ? 'sr-only' : undefined}>{label}</span>
      </span>
    </>
  );
}

export function SectionAudience({ audience }: { audience: Audience | null }) {
  if (audience === null || audience === 'everyone') return null;
  const { icon, label } = signs[audience];
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-ink-soft print:hidden">
      <Icon name={icon} className="size-3.5" />
      {label}
    </span>
  );
}
