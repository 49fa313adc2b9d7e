/** A link may have been made by anyone: only paths of this origin are gone to, whatever browsers make of its characters. */
export function ownPath(next: string | null, origin = window.location.origin): string {
  if (!next?.startsWith('/') || !URL.canParse(next, origin)) return '/';
  const url = new URL(next, origin);
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search : '/';
}
