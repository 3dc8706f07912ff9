let names: Intl.DisplayNames | undefined;

/** Server and browser may know different names, so the element with the text needs `suppressHydrationWarning`. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'region' });
  return names.of(code) ?? code;
}
