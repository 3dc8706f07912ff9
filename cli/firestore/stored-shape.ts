import type { Institution } from '#contract/institution.ts';
import { type FormField, formFields, toForm } from '#contract/profile.ts';
import { fold } from '#server/domain/folding.ts';

/**
 * Returns the fields of the specification's stored shape (section 3) by the names of the form, without the picture. Other spellings
 * ("Mr", "BSc", the name of a college in place of its code, a day with a time behind it) are replaced by the ones used here.
 */
export function readStoredShape(data: object, institution: Institution): Record<string, string> {
  const { imgURL: _, ...found } = { ...flatFields(data), ...toForm(data) };
  return Object.fromEntries(
    Object.entries(found).flatMap(([field, value]) => {
      const text = textOf(value);
      return text === null ? [] : [[field, readings[field as FormField]?.(text, institution) ?? text]];
    }),
  );
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
