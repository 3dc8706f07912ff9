/** Validation messages, quoted exactly from the specification, section 5. */
export const texts = {
  emailInvalid: 'Please enter a valid email address',
  emailRequired: 'Email is required',
  empty: 'Field cannot be empty',
  passwordShort: 'Password cannot be less than six characters',
  passwordLong: 'Password cannot be more than hundred character',
  passwordsDiffer: 'Passwords does not match',
} as const;
