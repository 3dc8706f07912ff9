/** What a route says of its page besides how to draw it: `handle` of a route object. */
export interface PageHandle {
  /** Names the page in the browser's title. A function makes it from the loader's data; without any, nothing was found. */
  readonly title: string | FromData<string>;
  /** Whose page it is: the server tells the browser at once to fetch the scripts of `features/{feature}/pages.ts`. */
  readonly feature?: string;
  /** `bare` pages bring their own frame; the others stand in the shell. */
  readonly frame?: 'bare';
  /** Search engines may list only what is said to everybody. */
  readonly isPublic?: true | FromData<boolean>;
}

/** Derives a value from the data of the page's loader. Method syntax lets a route name the type of its own data. */
type FromData<Value> = { derive(data: unknown): Value }['derive'];

export const isPageHandle = (handle: unknown): handle is PageHandle =>
  typeof (handle as PageHandle | undefined)?.title !== 'undefined';

/** The title of a page that is not there. */
export const notFound = 'Not found';

/** The title of the deepest page among the matches, e.g. `Sign in · Alumni archive`. */
export function titleOf(
  matches: readonly { handle?: unknown; data?: unknown; loaderData?: unknown }[],
  institution: string,
): string {
  const match = matches.findLast(({ handle }) => isPageHandle(handle));
  const site = `${institution} alumni archive`;
  if (!match) return site;
  const { title } = match.handle as PageHandle;
  const data = match.loaderData ?? match.data;
  return `${typeof title === 'string' ? title : data === undefined ? notFound : title(data)} · ${site}`;
}
