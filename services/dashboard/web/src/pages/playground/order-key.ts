import { useRef } from 'react';
import { ApiError } from '../../api/api-error';

const BYTES = 16;

/**
 * The idempotency key of an order. One whose end is not known keeps it, so that ordering the same again can't be charged
 * twice and gets what was made meanwhile.
 */
export function useOrderKey() {
  const current = useRef<{ key: string; order: string } | undefined>(undefined);
  return {
    keyOf(order: object): string {
      const text = JSON.stringify(order);
      if (current.current?.order !== text) current.current = { key: newKey(), order: text };
      return current.current.key;
    },
    answered(error: unknown): void {
      if (!mayStillBeMade(error)) current.current = undefined;
    },
  };
}

/** True when the order got no answer, or one of the server's faults: a job that took too long goes on and is charged. */
export const mayStillBeMade = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** Not `randomUUID`, which browsers keep from pages that come without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
