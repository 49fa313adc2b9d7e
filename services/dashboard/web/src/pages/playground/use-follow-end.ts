import { useEffect, useLayoutEffect, useRef } from 'react';

/** How near the page's end still counts as being there. */
const NEAR_PX = 120;

const isNearEnd = (): boolean =>
  document.documentElement.scrollHeight - window.innerHeight - window.scrollY < NEAR_PX;

/** Keeps the page's end in view while it grows, for readers who are there; who scrolled away is left alone. */
export function useFollowEnd(growing: unknown): void {
  const follows = useRef(false);
  useEffect(() => {
    const look = () => {
      follows.current = isNearEnd();
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => window.removeEventListener('scroll', look);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it grows with this.
  useLayoutEffect(() => {
    if (follows.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [growing]);
}
