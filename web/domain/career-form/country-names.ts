const names = new Intl.DisplayNames('en', { type: 'region' });

/** Node and browsers may have different names, so set `suppressHydrationWarning` on the element. */
export const countryName = (code: string): string => names.of(code) ?? code;
