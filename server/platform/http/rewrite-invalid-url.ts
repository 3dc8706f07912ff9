/**
 * An address whose percent signs mean something. Where they do not (`/%zz`, bytes that are no UTF-8), the router would
 * answer in its own words, past everything that answers here have in common; taken as they are written, they are one more
 * address that leads nowhere. A query is left alone: whoever reads it has no such trouble.
 */
export function rewriteInvalidUrl(url: string): string {
  const end = url.search(/[?#]/u);
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
