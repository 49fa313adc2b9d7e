/** Splits a request's URL into its path and its query without the question mark. */
export function splitUrl(url: string): { path: string; query: string } {
  const at = url.indexOf('?');
  return at === -1 ? { path: url, query: '' } : { path: url.slice(0, at), query: url.slice(at + 1) };
}

export const queryOf = (url = '/') => new URLSearchParams(splitUrl(url).query);
