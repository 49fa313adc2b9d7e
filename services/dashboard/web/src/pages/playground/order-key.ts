import { useRef } from 'react';
import { mayBeDone } from '../../api/api-error';
import { randomId } from '../../ui/random-id';

/**
 * The idempotency key of an order. One whose end is not known keeps it, so that ordering the same again can't be charged
 * twice and gets what was made meanwhile.
 */
export function useOrderKey() {
  const current = useRef<{ key: string; order: string } | undefined>(undefined);
  return {
    keyOf(order: object): string {
      const text = JSON.stringify(order);
      if (current.current?.order !== text) current.current = { key: `playground-${randomId()}`, order: text };
      return current.current.key;
    },
    /** What is ordered next is another order, even if it is the same. */
    renew(): void {
      current.current = undefined;
    },
    answered(error: unknown): void {
      if (!mayBeDone(error)) current.current = undefined;
    },
  };
}
