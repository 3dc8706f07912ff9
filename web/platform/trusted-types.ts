/**
 * Lets scripts turn texts into markup. The Content Security Policy requires Trusted Types, so all other texts are
 * refused. Call it once per page.
 */
export function allowMarkup(isAllowed: (html: string) => boolean): void {
  const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: object): unknown } };
  trustedTypes?.createPolicy('default', { createHTML: (html: string) => (isAllowed(html) ? html : null) });
}
