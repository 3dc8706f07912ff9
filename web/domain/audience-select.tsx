import {
  type Audience,
  getEffectiveAudience,
  listAllowedAudiences,
  type ProfileField,
  type VisibilityChoices,
} from '#contract/visibility.ts';
import { Icon } from '#web/ui/icon.tsx';
import type { IconName } from '#web/ui/icon-names.ts';
import { Options } from '#web/ui/options.tsx';

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
    <span className="relative -mr-2.5 flex w-36 items-center">
      <Icon name={icons[audience]} className="pointer-events-none absolute left-3 size-4 text-ink-soft" />
      <select
        className="control appearance-none pr-8 pl-9 font-normal not-hover:not-focus:border-transparent not-hover:not-focus:bg-transparent"
        value={audience}
        onChange={(event) => onChoose(event.target.value as Audience)}
      >
        <Options
          none={null}
          options={listAllowedAudiences(field).map((allowed) => [allowed, audienceNames[allowed]])}
        />
      </select>
      <Icon name="chevron-down" className="pointer-events-none absolute right-2.5 size-4 text-ink-soft" />
    </span>
  );
}

export function AudienceField({ field, label, choices, onChoose }: Props & { label: string }) {
  return (
    <label>
      <span className="sr-only">Visible to</span>
      {/* Screen readers announce the field name. CSS adds it: as text it would match the label of the field. */}
      <span className="sr-only field-name" data-field={label} />
      <AudienceSelect field={field} choices={choices} onChoose={onChoose} />
    </label>
  );
}

/** The label is at the left and the select at the right of the row. */
export const AudienceRow = ({ label, ...rest }: Props & { label: string }) => (
  <label className="grid max-w-[400px] grid-cols-[1fr_auto] items-center gap-x-4 font-semibold @xl:max-w-none">
    {label}
    <AudienceSelect {...rest} />
  </label>
);
