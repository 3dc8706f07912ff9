import type { CardPage } from '#contract/directory.ts';
import type { Directory } from './loader.ts';

/** What a history entry has shown of the dashboard. */
interface Visit {
  directory?: Directory;
  /** Further pages, and the cursor of the first page that they follow. */
  morePages?: { readonly after: string; readonly pages: CardPage[] };
}

let visited = { viewer: '', visits: new Map<string, Visit>() };

/**
 * Returns what a history entry has shown to this viewer, to be added to. Coming back finds the same cards in the same
 * place, also offline. What another viewer has seen is forgotten.
 */
export function getVisit(viewer: string, historyKey: string): Visit {
  if (visited.viewer !== viewer) visited = { viewer, visits: new Map() };
  let visit = visited.visits.get(historyKey);
  if (!visit) visited.visits.set(historyKey, (visit = {}));
  return visit;
}
