import { useRef } from 'react';
import { mayBeDone } from '../../api/api-error';
import { randomId } from '../../ui/random-id';

/**
 * Returns the idempotency key of a request. A request with an unknown outcome keeps its key, so that repeating it can't
 * be charged twice and returns what was generated meanwhile.
 */
export function useOrderKey() {
  const current = useRef<{ key: string; order: string } | undefined>(undefined);
  return {
    keyOf(order: object): string {
      const text = JSON.stringify(order);
      if (current.current?.order !== text) current.current = { key: `playground-${randomId()}`, order: text };
      return current.current.key;
    },
    /** Makes the next request a new one, even if it is the same. */
    renew(): void {
      current.current = undefined;
    },
    answered(error: unknown): void {
      if (!mayBeDone(error)) current.current = undefined;
    },
  };
}
