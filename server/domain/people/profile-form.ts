import { hasReachedAge } from '#contract/age.ts';
import { type Institution, getInstitutionFacts } from '#contract/institution.ts';
import { type FormField, type ProfileForm, createProfileFormSchema, getMinAgeYears } from '#contract/profile.ts';
import { fold } from '../search/folding.ts';

interface InvalidField {
  readonly field: FormField;
  readonly message: string;
}

/**
 * Validates all fields of a profile for this institution and year. Every write of a profile calls this function.
 * @param fields form values by field name, as `toForm` returns them
 * @param storedDob the stored date of birth, which stays valid if the minimum age was raised later
 */
export function readProfileForm(
  institution: Institution,
  fields: Partial<Record<FormField, unknown>>,
  storedDob?: string,
): { readonly form: ProfileForm } | { readonly wrong: readonly InvalidField[] } {
  const now = new Date();
  const isTooYoung = storedDob !== undefined && !hasReachedAge(storedDob, getMinAgeYears(institution), now);
  const rules = isTooYoung
    ? createProfileFormSchema(getInstitutionFacts(institution, now), storedDob)
    : getProfileRules(institution);
  const parsed = rules.safeParse(fields);
  if (parsed.success) {
    return { form: { ...parsed.data, department: toCanonicalDepartment(parsed.data.department, institution) } };
  }
  return { wrong: parsed.error.issues.map(({ path, message }) => ({ field: path[0] as FormField, message })) };
}

let rules: { year: number; institution: Institution; form: ReturnType<typeof createProfileFormSchema> } | undefined;

/** Cached, because creating the rules takes longer than using them. */
function getProfileRules(institution: Institution): ReturnType<typeof createProfileFormSchema> {
  const facts = getInstitutionFacts(institution, new Date());
  if (rules?.institution !== institution || rules.year !== facts.lastYear)
    rules = { year: facts.lastYear, institution, form: createProfileFormSchema(facts) };
  return rules.form;
}

function toCanonicalDepartment(department: string, { colleges }: Institution): string {
  const known = colleges.flatMap(({ departments }) => departments);
  if (known.includes(department)) return department;
  const folded = fold(department);
  return known.find((name) => fold(name) === folded) ?? department;
}
