/** The institution's words for "College" and "Department". Undefined: those of the specification. */
export type Words = Readonly<Record<'college' | 'department', string>> | undefined;

const pluralOf = (word: string): string =>
  /[^aeiou]y$/iu.test(word) ? `${word.slice(0, -1)}ies` : `${word}${/(?:s|x|z|ch|sh)$/iu.test(word) ? 'es' : 's'}`;

/**
 * Replaces "college" and "department" in a text of the interface, in the singular and the plural, at the start and
 * within a sentence. Texts put no "a" before them, because the institution's word may need "an".
 */
export const replaceTerms = (text: string, words: Words): string =>
  words === undefined
    ? text
    : text.replaceAll(/\b(?:college|department)s?\b/giu, (term) => {
        const word = words[/^c/iu.test(term) ? 'college' : 'department'];
        const inflected = term.endsWith('s') ? pluralOf(word) : word;
        return /^[CD]/u.test(term) ? inflected.charAt(0).toUpperCase() + inflected.slice(1) : inflected.toLowerCase();
      });
