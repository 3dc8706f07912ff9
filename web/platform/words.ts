import { type Words, replaceTerms } from '#contract/words.ts';

let words: Words;

/** Sets the words before a page is rendered. Rendering is synchronous, so archives in one process do not mix. */
export function setWords(own: Words): void {
  words = own;
}

/** Returns a text of the interface with the institution's words. Call it while rendering: modules load earlier. */
export const reword = (text: string): string => replaceTerms(text, words);

export const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
