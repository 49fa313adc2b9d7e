import { useEffect, useLayoutEffect, useRef } from 'react';

/** Distance from the page's end that counts as the end. */
const NEAR_PX = 120;

const isNearEnd = (): boolean =>
  document.documentElement.scrollHeight - window.innerHeight - window.scrollY < NEAR_PX;

/** Keeps the page's end in view while it grows, unless the reader has scrolled up. */
export function useFollowEnd(growing: unknown): void {
  const follows = useRef(false);
  useEffect(() => {
    const check = () => {
      follows.current = isNearEnd();
    };
    check();
    window.addEventListener('scroll', check, { passive: true });
    return () => window.removeEventListener('scroll', check);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page grows with this value.
  useLayoutEffect(() => {
    if (follows.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [growing]);
}
