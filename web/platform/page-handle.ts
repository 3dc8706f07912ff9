/** The `handle` of a route object. */
export interface PageHandle {
  /**
   * The document title, or a function that derives it from the loader's data. Without data the title is "Not found".
   */
  readonly title: string | FromData<string>;
  /** For shared links. Without one, the description of the site. Only the server reads it. */
  readonly description?: FromData<string>;
  /** The feature of the page. The HTML preloads the scripts of `features/{feature}/pages.ts`. */
  readonly feature?: string;
  /** `bare` pages have their own frame. The others are rendered in the shell. */
  readonly frame?: 'bare';
  /** Whether search engines may index the page, which must then be the same for every visitor. */
  readonly isPublic?: boolean | FromData<boolean>;
}

/** Derives a value from the data of the page's loader. Method syntax allows a route to declare the type of its data. */
type FromData<Value> = { derive(data: unknown): Value }['derive'];

export const isPageHandle = (handle: unknown): handle is PageHandle =>
  typeof (handle as PageHandle | undefined)?.title !== 'undefined';

export const notFound = 'Not found';

/** Returns the title of the deepest matched page, such as `Gallery · OUE alumni archive`. */
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
