/**
 * The stored text of a required field that does not apply, such as the middle name of a person who has none. Only the
 * owner's form contains it.
 */
export const noneValue = '-';

export type FieldWithNone = 'middleName' | 'xHandle' | 'facebookName' | 'linkedinName';
