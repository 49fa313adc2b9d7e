/** Anyone can make a link: only paths of this origin are followed, however browsers parse them. */
export function sameOriginPath(next: string | null, origin = window.location.origin): string {
  if (!next?.startsWith('/') || !URL.canParse(next, origin)) return '/';
  const url = new URL(next, origin);
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search : '/';
}
