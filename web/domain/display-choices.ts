import type { CookieName } from '#contract/cookies.ts';

/**
 * Choices of how pages look. Each is a cookie: the server reads it and renders the page accordingly, so that nothing
 * changes when the scripts have loaded. Values other than the listed ones count as the first one.
 */
const choices = {
  sidebar: ['expanded', 'collapsed'],
  theme: ['system', 'light', 'dark'],
} as const satisfies Partial<Record<CookieName, readonly string[]>>;

type Name = keyof typeof choices;
export type Choice<N extends Name> = (typeof choices)[N][number];

export function readChoice<N extends Name>(name: N, request: Request): Choice<N> {
  const cookies = typeof document === 'undefined' ? (request.headers.get('cookie') ?? '') : document.cookie;
  const values: readonly Choice<N>[] = choices[name];
  const chosen = values.find((value) => cookies.split('; ').includes(`${name}=${value}`));
  return chosen ?? choices[name][0];
}

export function saveChoice<N extends Name>(name: N, value: Choice<N>): void {
  document.cookie = `${name}=${value}; path=/; max-age=31536000; samesite=lax`;
}
