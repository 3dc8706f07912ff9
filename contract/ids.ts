/** Returns whether a text has the form of an id: a UUID. */
export const isId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/iu.test(text);
