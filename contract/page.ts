import type { Call } from './call.ts';

/**
 * Pages whose forms also work without scripts: a browser sends them to the page's own address, as POST with
 * `application/x-www-form-urlencoded`.
 */
export const formPages = [
  '/login',
  '/signup',
  '/send-verification-email',
  '/verify-email-address',
  '/reset-password',
  '/new-password',
  '/recover-email',
] as const;
export type FormPage = (typeof formPages)[number];

/** What the server hands to the renderer of pages for one request. */
export interface PageRequest {
  readonly request: Request;
  /** Calls our own API as the person who asked for the page. */
  readonly call: Call;
  /** For the scripts and styles of this answer alone (Content Security Policy). */
  readonly nonce: string;
  readonly assets: PageAssets;
  readonly institution: PageInstitution;
  /** Writes down what nobody has expected. @returns what the page for it may say */
  readonly reportError: (error: unknown) => PageFailure;
}

/** An unexpected error as a visitor meets it. */
export interface PageFailure {
  readonly status: number;
  /** With the reference of the log's line, where there is one. */
  readonly message: string;
}

/** What every page says of whose archive it is. */
export interface PageInstitution {
  readonly name: string;
  /** The school label. */
  readonly abbreviation: string;
  /** Where browsers make known who is signed in, if the university has such a site. */
  readonly tokenSync?: string;
}

/** Where the browser finds the built program. */
export interface PageAssets {
  /** Markup for the head: styles, and in development the reload client. */
  readonly head: (nonce: string) => string;
  /** URL of the script that makes a page live. */
  readonly entry: string;
  /** URLs of the scripts that a lazily loaded module needs, shared ones included. @param module e.g. `web/features/profile/pages.ts` */
  readonly listScripts: (module: string) => readonly string[];
}

/** A rendered page, or a redirect that a guard has decided. */
export type Rendered =
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  | { readonly kind: 'page'; readonly status: number; readonly html: string };

/** What the built entry of the browser's side exports for the server. */
export type RenderPage = (page: PageRequest) => Promise<Rendered>;
