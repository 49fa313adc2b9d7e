import { useRef } from 'react';
import { mayHaveSucceeded } from '../../api/api-error';
import { randomId } from '../../ui/random-id';

/**
 * Returns the idempotency key of a request. A request with an unknown outcome keeps its key, so that repeating it can't
 * be charged twice and returns what was generated meanwhile.
 */
export function useIdempotencyKey() {
  const current = useRef<{ key: string; request: string } | undefined>(undefined);
  return {
    keyOf(request: object): string {
      const text = JSON.stringify(request);
      if (current.current?.request !== text)
        current.current = { key: `playground-${randomId()}`, request: text };
      return current.current.key;
    },
    /** Makes the next request a new one, even if it is the same. */
    renew(): void {
      current.current = undefined;
    },
    answered(error: unknown): void {
      if (!mayHaveSucceeded(error)) current.current = undefined;
    },
  };
}
