import type { CardPage } from '#contract/directory.ts';
import type { Directory } from './loader.ts';

interface Visit {
  directory?: Directory;
  morePages?: { readonly after: string | undefined; readonly pages: CardPage[] };
}

let visited = { viewer: '', visits: new Map<string, Visit>() };

/**
 * Returns the data that a history entry has shown to this viewer, as an object to extend. The Back button then restores
 * the same cards, even offline. A change of the viewer deletes all entries.
 */
export function getVisit(viewer: string, historyKey: string): Visit {
  if (visited.viewer !== viewer) visited = { viewer, visits: new Map() };
  let visit = visited.visits.get(historyKey);
  if (!visit) visited.visits.set(historyKey, (visit = {}));
  return visit;
}
