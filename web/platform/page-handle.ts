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
  /** The years of graduation that the sidebar offers (`web/domain/year-list.ts`). */
  readonly years?: FromData<unknown>;
}

/** Derives a value from the data of the page's loader. Method syntax allows a route to declare the type of its data. */
type FromData<Value> = { derive(data: unknown): Value }['derive'];

export const isPageHandle = (handle: unknown): handle is PageHandle =>
  typeof (handle as PageHandle | undefined)?.title !== 'undefined';

export const notFound = 'Not found';

type Matches = readonly { handle?: unknown; data?: unknown; loaderData?: unknown }[];

function findPage(matches: Matches): { handle: PageHandle; data: unknown } | undefined {
  const match = matches.findLast(({ handle }) => isPageHandle(handle));
  return match && { handle: match.handle as PageHandle, data: match.loaderData ?? match.data };
}

export function yearsOf(matches: Matches): unknown {
  const page = findPage(matches);
  return page?.data === undefined ? undefined : page.handle.years?.(page.data);
}

export function titleOf(matches: Matches, institution: string): string {
  const page = findPage(matches);
  const site = `${institution} alumni archive`;
  if (!page) return site;
  const { handle, data } = page;
  const { title } = handle;
  return `${typeof title === 'string' ? title : data === undefined ? notFound : title(data)} · ${site}`;
}
