import { hasReachedAge } from '#contract/age.ts';
import { type Institution, getInstitutionFacts } from '#contract/institution.ts';
import { type FormField, type ProfileForm, profileForm, getMinAgeYears } from '#contract/profile.ts';
import { fold } from './folding.ts';

/** A field of a profile that breaks its rule. */
export interface InvalidField {
  readonly field: FormField;
  readonly message: string;
}

/**
 * Checks every field of a profile by its rule, for this institution in this year; whoever writes a profile goes through here.
 * @param fields as `toForm` reads them from a document
 * @param storedDob a date of birth that is stored already, and stays allowed
 */
export function readProfileForm(
  institution: Institution,
  fields: Partial<Record<FormField, unknown>>,
  storedDob?: string,
): { readonly form: ProfileForm } | { readonly wrong: readonly InvalidField[] } {
  const now = new Date();
  const isTooYoung = storedDob !== undefined && !hasReachedAge(storedDob, getMinAgeYears(institution), now);
  const rules = isTooYoung
    ? profileForm(getInstitutionFacts(institution, now), storedDob)
    : getProfileRules(institution);
  const parsed = rules.safeParse(fields);
  if (parsed.success) {
    return { form: { ...parsed.data, department: toCanonicalDepartment(parsed.data.department, institution) } };
  }
  return { wrong: parsed.error.issues.map(({ path, message }) => ({ field: path[0] as FormField, message })) };
}

let rules: { year: number; institution: Institution; form: ReturnType<typeof profileForm> } | undefined;

/** The rules of this year: making them takes longer than checking by them. */
function getProfileRules(institution: Institution): ReturnType<typeof profileForm> {
  const facts = getInstitutionFacts(institution, new Date());
  if (rules?.institution !== institution || rules.year !== facts.lastYear)
    rules = { year: facts.lastYear, institution, form: profileForm(facts) };
  return rules.form;
}

/** "computer  science" and "Computer Science" are one department: the institution's own spelling wins. */
function toCanonicalDepartment(department: string, { colleges }: Institution): string {
  const known = colleges.flatMap(({ departments }) => departments);
  return known.find((name) => fold(name) === fold(department)) ?? department;
}
