/**
 * Returns whether a birth date, in ISO 8601, is on 1 January. Registrars enter it when they know only the year, so it
 * can be guessed and is no evidence.
 */
export const isPlaceholderDate = (birthDate: string): boolean => birthDate.endsWith('-01-01');
