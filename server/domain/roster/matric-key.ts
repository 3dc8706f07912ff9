/**
 * Returns the form in which matric numbers are compared: NFKC, upper case, letters and digits only. `csc / 15/0012` and
 * `CSC150012` are the same number. Empty if the text has no letter or digit.
 */
export const toMatricKey = (matricNumber: string): string =>
  matricNumber
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
