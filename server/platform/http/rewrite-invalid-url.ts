/**
 * Escapes the percent signs of a path that cannot be decoded, such as `/%zz` or invalid UTF-8. Otherwise the router
 * would send its own error, without our headers and format. With the escaped path, the request gets the usual 404. Does
 * not change the query.
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
