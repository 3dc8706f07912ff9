import {
  type Audience,
  getEffectiveAudience,
  listAllowedAudiences,
  type ProfileField,
  type VisibilityChoices,
} from '#contract/visibility.ts';
import { Icon } from '#web/ui/icon.tsx';
import type { IconName } from '#web/ui/icon-names.ts';

export const audienceNames: Record<Audience, string> = { everyone: 'Everyone', members: 'Members', me: 'Only me' };

const icons: Record<Audience, IconName> = { everyone: 'globe', members: 'users-round', me: 'lock' };

interface Props {
  field: ProfileField;
  choices: VisibilityChoices;
  onChoose: (audience: Audience) => void;
}

export function AudienceSelect({ field, choices, onChoose }: Props) {
  const audience = getEffectiveAudience(field, choices);
  return (
    <span className="relative inline-flex items-center">
      <Icon name={icons[audience]} className="pointer-events-none absolute left-0 size-4" />
      <select
        className="min-h-11 w-27 appearance-none rounded-control pr-5 pl-6 text-sm text-ink-soft hover:text-ink hover:underline"
        value={audience}
        onChange={(event) => onChoose(event.target.value as Audience)}
      >
        {listAllowedAudiences(field).map((allowed) => (
          <option key={allowed} value={allowed}>
            {audienceNames[allowed]}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" className="pointer-events-none absolute right-0 size-4" />
    </span>
  );
}

export function AudienceField({ field, label, choices, onChoose }: Props & { label: string }) {
  return (
    <label className="flex items-center text-sm text-ink-soft">
      <span className="sr-only">Visible to</span>
      {/* Screen readers announce the field name. CSS adds it: as text it would match the label of the field. */}
      <span className="sr-only field-name" data-field={label} />
      <AudienceSelect field={field} choices={choices} onChoose={onChoose} />
      {field === 'name' && <span className="ml-2 max-lg:hidden">Whole name</span>}
    </label>
  );
}
