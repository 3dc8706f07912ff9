import type { Institution } from '#contract/institution.ts';
import { type FormField, formFields, toForm } from '#contract/profile.ts';
import { fold } from '#server/domain/search/folding.ts';

/**
 * Converts the specification's stored shape (section 3) to form fields, without the picture. Other notations ("Mr",
 * "BSc", the name of a college instead of its code, a date with a time) are converted to those of this archive.
 */
export function readStoredShape(data: object, institution: Institution): Record<string, string> {
  const { imgURL: _, ...found } = { ...selectFlatFields(data), ...toForm(data) };
  return Object.fromEntries(
    Object.entries(found).flatMap(([field, value]) => {
      const text = toText(value);
      return text === null ? [] : [[field, converters[field as FormField]?.(text, institution) ?? text]];
    }),
  );
}

/**
 * Selects fields that the document stores at the top level by their form names, e.g. `firstName`, as the onboarding
 * did.
 */
const selectFlatFields = (data: object): Partial<Record<FormField, unknown>> =>
  Object.fromEntries(Object.entries(data).filter(([name]) => (formFields as string[]).includes(name)));

function toText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** Reduces a text to letters and digits, so that "B.Sc", "BSc" and "b sc" are equal. */
const normalize = (text: string): string => fold(text).replaceAll(' ', '');

const findSame = (text: string, choices: readonly string[]): string | undefined =>
  choices.find((choice) => normalize(choice) === normalize(text));

type Converter = (text: string, institution: Institution) => string | undefined;

/** Converters for other notations, by field. Undefined leaves the text unchanged. */
const converters: Partial<Record<FormField, Converter>> = {
  title: (text, { titles }) => findSame(text, titles),
  program: (text, { programs }) => findSame(text, programs),
  gender: (text) => text.trim().toLowerCase(),
  dob: (text) => (/^\d{4}-\d{2}-\d{2}T/u.test(text) ? text.slice(0, 'YYYY-MM-DD'.length) : text.trim()),
  college: (text, { colleges }) => colleges.find(({ code, name }) => findSame(text, [code, name]) !== undefined)?.code,
};
