import {
  type Audience,
  getEffectiveAudience,
  listAllowedAudiences,
  type ProfileField,
  type VisibilityChoices,
} from '#contract/visibility.ts';

export const audienceNames: Record<Audience, string> = { everyone: 'Everyone', members: 'Members', me: 'Only me' };

interface Props {
  field: ProfileField;
  choices: VisibilityChoices;
  onChoose: (audience: Audience) => void;
}

/** Selects who can see a field. Offers only the audiences that the field allows. */
export function AudienceSelect({ field, choices, onChoose }: Props) {
  return (
    <select
      className="control w-auto max-w-full py-1 text-sm"
      value={getEffectiveAudience(field, choices)}
      onChange={(event) => onChoose(event.target.value as Audience)}
    >
      {listAllowedAudiences(field).map((audience) => (
        <option key={audience} value={audience}>
          {audienceNames[audience]}
        </option>
      ))}
    </select>
  );
}
