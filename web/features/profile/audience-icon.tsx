import { createContext, useContext } from 'react';
import { type ProfileField, type VisibilityChoices, getEffectiveAudience } from '#contract/visibility.ts';
import { Icon } from '#web/ui/icon.tsx';

/** Null unless owners look at their own profile. */
export const Choices = createContext<VisibilityChoices | null>(null);

const signs = {
  members: { icon: 'users-round', label: 'Members only' },
  me: { icon: 'lock', label: 'Only you' },
} as const;

export function AudienceIcon({ field }: { field: ProfileField }) {
  const choices = useContext(Choices);
  const audience = choices && getEffectiveAudience(field, choices);
  if (audience === null || audience === 'everyone') return null;
  const { icon, label } = signs[audience];
  return (
    <>
      {/* Keeps the icon on the line of the last word. */}
      {'\u00A0'}
      <span title={label} className="inline-block align-[-0.1em] text-ink-soft print:hidden">
        <Icon name={icon} className="size-3.5" />
        <span className="sr-only">{label}</span>
      </span>
    </>
  );
}

export function AudienceLegend() {
  if (useContext(Choices) === null) return null;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft sm:col-span-full print:hidden">
      {Object.values(signs).map(({ icon, label }) => (
        <span key={icon} className="inline-flex items-center gap-1.5">
          <Icon name={icon} className="size-3.5" />
          {label}
        </span>
      ))}
      <span>No icon: everyone</span>
    </p>
  );
}
