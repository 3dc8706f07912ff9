/**
 * Creates the default Trusted Types policy, which accepts only HTML for which `isAllowed` returns true. Without it, the
 * Content Security Policy blocks `innerHTML`. Call it once per page: a second default policy throws.
 */
export function allowMarkup(isAllowed: (html: string) => boolean): void {
  const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: object): unknown } };
  trustedTypes?.createPolicy('default', { createHTML: (html: string) => (isAllowed(html) ? html : null) });
}
