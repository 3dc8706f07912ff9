import type { Call } from './call.ts';
import type { Words } from './words.ts';

/**
 * Pages whose forms work without JavaScript, as routes of the server. The browser posts the form to the URL of the
 * page, as `application/x-www-form-urlencoded`.
 */
export const formPages = [
  '/login',
  '/signup',
  '/send-verification-email',
  '/verify-email-address',
  '/reset-password',
  '/new-password',
  '/recover-email',
  '/campus',
  '/confirm',
  '/join',
  '/join/:code',
  '/vouch/:code',
  '/not-you',
  '/report',
  '/report/confirm',
  '/report/:kind/:id',
] as const;
export type FormPage = (typeof formPages)[number];

/**
 * Pages that are the same for all guests, as routes of the server. A page that shows anything that depends on more than
 * its URL and the directory, such as a code in a mailed link, must not be listed.
 */
export const guestPages = [
  '/',
  '/home',
  '/login',
  '/signup',
  '/user/:id',
  '/class/:department/:year',
  '/gallery',
  '/search',
  '/careers',
] as const;

const filterParams = ['college', 'department', 'program', 'graduatedFrom', 'graduatedTo'] as const;
const directoryParams = [...filterParams, 'year', 'view', 'filters', 'sort', 'after'] as const;

/** Query parameters that these pages read. The server removes all others, so that they do not make new pages. */
export const guestPageParams: Readonly<Record<(typeof guestPages)[number], readonly string[]>> = {
  '/': [...directoryParams, 'toast'],
  '/home': [...directoryParams, 'toast'],
  '/login': ['from', 'toast'],
  '/signup': ['from', 'toast'],
  '/user/:id': ['write', 'toast'],
  '/class/:department/:year': ['toast'],
  '/gallery': ['album', 'toast'],
  '/search': ['q', ...filterParams, 'toast'],
  '/careers': [...filterParams, 'employer', 'field', 'area', 'country', 'help', 'name', 'after', 'toast'],
};

export interface PageRequest {
  readonly request: Request;
  /** Calls the API as the visitor who requested the page. */
  readonly call: Call;
  readonly assets: PageAssets;
  readonly institution: PageInstitution;
  /** Logs an unexpected error. @returns the status and message for the error page */
  readonly reportError: (error: unknown) => PageFailure;
}

export interface PageFailure {
  readonly status: number;
  /** Includes the reference of the log line, if there is one. */
  readonly message: string;
  /** Stack trace of an unexpected error. Absent in production. */
  readonly stack?: string;
}

export interface PageInstitution {
  readonly name: string;
  readonly abbreviation: string;
  readonly words?: Words;
  /** Whether the page for unexpected errors shows stack traces. Absent in production. */
  readonly showsStackTraces?: true;
  /** URL of another site of the university that receives a token for the signed-in user. */
  readonly tokenSync?: string;
  /** Whether members can sign in with their university account. */
  readonly hasCampusSignOn?: true;
}

export interface PageAssets {
  readonly styles: string;
  /** Styles of all pages except the dashboard. */
  readonly allStyles: string;
  /** Additional markup for the head: in development the stylesheet and the reload client. */
  readonly head?: string;
  /** Source of the script that every page runs first, inline in its head (`web/early-clicks.ts`). */
  readonly earlyScript: string;
  readonly entry: string;
  /**
   * Returns the URLs of all scripts that a lazily loaded module needs.
   * @param module e.g. `web/features/profile/pages.ts`
   */
  readonly listScripts: (module: string) => readonly string[];
}

/** Contents of the inline scripts and styles of a page. The Content Security Policy allows only these. */
export interface InlineParts {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

export type Rendered =
  | { readonly kind: 'redirect'; readonly status: number; readonly location: string }
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly html: string;
      readonly inline: InlineParts;
    };

export type RenderPage = (page: PageRequest) => Promise<Rendered>;
