import { type Institution, factsOf } from '#contract/institution.ts';
import { type FormField, type ProfileForm, formFields, profileForm, toForm } from '#contract/profile.ts';
import { fold } from '#server/domain/folding.ts';

/** What a document's fields are, by the rules of today. */
export interface ReadProfile {
  /** Null where a rule is broken. */
  readonly form: ProfileForm | null;
  /** The fields as they came, for their owner to put right. */
  readonly fields: Readonly<Record<string, string>>;
  /** The names of those that break a rule. */
  readonly wrong: readonly FormField[];
}

/**
 * Reads the stored shape of the specification's section 3, without the picture. What was only written another way
 * ("Mr", "BSc", the name of a college in place of its code, a day with a time behind it) is taken for what it means.
 */
export function readStoredShape(data: object, institution: Institution, now: Date): ReadProfile {
  const facts = factsOf(institution, now);
  const { imgURL: _, ...found } = { ...flatFields(data), ...toForm(data) };
  const fields = Object.fromEntries(
    Object.entries(found).flatMap(([field, value]) => {
      const text = textOf(value);
      return text === null ? [] : [[field, readings[field as FormField]?.(text, institution) ?? text]];
    }),
  );
  const parsed = profileForm(facts).safeParse({ ...fields, imgURL: null });
  return {
    form: parsed.success ? { ...parsed.data, department: usualSpelling(parsed.data.department, institution) } : null,
    fields,
    wrong: parsed.success ? [] : [...new Set(parsed.error.issues.map(({ path }) => path[0] as FormField))],
  };
}

/** Fields that stand in the document by the names of the form (`firstName`), as the onboarding had collected them. */
const flatFields = (data: object): Partial<Record<FormField, unknown>> =>
  Object.fromEntries(Object.entries(data).filter(([name]) => (formFields as string[]).includes(name)));

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** Letters and digits alone: "B.Sc", "BSc" and "b sc" are one. */
const bare = (text: string): string => fold(text).replaceAll(' ', '');

const sameAs = (text: string, choices: readonly string[]): string | undefined =>
  choices.find((choice) => bare(choice) === bare(text));

type Reading = (text: string, institution: Institution) => string | undefined;

/** How else a value may have been written; nothing where it says what it says. */
const readings: Partial<Record<FormField, Reading>> = {
  title: (text, { titles }) => sameAs(text, titles),
  program: (text, { programs }) => sameAs(text, programs),
  gender: (text) => text.trim().toLowerCase(),
  dob: (text) => (/^\d{4}-\d{2}-\d{2}T/u.test(text) ? text.slice(0, 'YYYY-MM-DD'.length) : text.trim()),
  college: (text, { colleges }) => colleges.find(({ code, name }) => sameAs(text, [code, name]) !== undefined)?.code,
};

/** The institution's own spelling wins, as for whoever types it. */
const usualSpelling = (department: string, { colleges }: Institution): string =>
  colleges.flatMap(({ departments }) => departments).find((name) => fold(name) === fold(department)) ?? department;
