import { type FormField, formFields, type Profile, type ProfileForm, toForm } from '#contract/profile.ts';
import { getEffectiveAudience, type ProfileField, type VisibilityChoices } from '#contract/visibility.ts';

export interface LoadedProfile {
  readonly profile: Profile;
  readonly visibility: VisibilityChoices;
  readonly version: number;
}

export interface ProfileEdit {
  readonly base: LoadedProfile;
  readonly values: ProfileForm;
  /** Only the audiences changed on this page. */
  readonly chosen: VisibilityChoices;
}

/** Field or audience that was changed to different values on this page and in another tab or device. */
export type EditConflict =
  | { readonly kind: 'value'; readonly field: FormField; readonly here: unknown; readonly elsewhere: unknown }
  | {
      readonly kind: 'audience';
      readonly field: ProfileField;
      readonly here: string;
      readonly elsewhere: string;
    };

/**
 * Merges an edit into a newer version of the profile (three-way merge): fields that this page did not change take the
 * newer values. In the returned edit, conflicting fields have the values of this page.
 */
export function mergeProfile(
  { base, values, chosen }: ProfileEdit,
  newer: LoadedProfile,
): { edit: ProfileEdit; conflicts: EditConflict[] } {
  const conflicts: EditConflict[] = [];
  const [before, after] = [toForm(base.profile), toForm(newer.profile)];
  const merged: Partial<Record<FormField, unknown>> = { ...values };
  for (const field of formFields) {
    const [was, here, elsewhere] = [before[field] ?? '', values[field] ?? '', after[field] ?? ''];
    if (elsewhere === was || elsewhere === here) continue;
    if (here === was) merged[field] = after[field] === undefined ? '' : after[field];
    else conflicts.push({ kind: 'value', field, here, elsewhere });
  }
  for (const [name, here] of Object.entries(chosen)) {
    const field = name as ProfileField;
    const [was, elsewhere] = [
      getEffectiveAudience(field, base.visibility),
      getEffectiveAudience(field, newer.visibility),
    ];
    if (elsewhere !== was && elsewhere !== here) conflicts.push({ kind: 'audience', field, here, elsewhere });
  }
  return { edit: { base: newer, values: merged as ProfileForm, chosen }, conflicts };
}

export function applyNewerValues(
  { base, values, chosen }: ProfileEdit,
  conflicts: readonly EditConflict[],
): ProfileEdit {
  const newer = toForm(base.profile);
  const isTaken = (kind: EditConflict['kind'], field: string) =>
    conflicts.some((conflict) => conflict.kind === kind && conflict.field === field);
  return {
    base,
    values: Object.fromEntries(
      formFields.map((field) => {
        const value = newer[field] === undefined ? '' : newer[field];
        return [field, isTaken('value', field) ? value : values[field]];
      }),
    ) as ProfileForm,
    chosen: Object.fromEntries(Object.entries(chosen).filter(([field]) => !isTaken('audience', field))),
  };
}
