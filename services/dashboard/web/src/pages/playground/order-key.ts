import { useRef } from 'react';
import { ApiError } from '../../api/api-error';

const BYTES = 16;

/**
 * The idempotency key of an order. One that got no answer keeps it, so that ordering the same again can't be charged
 * twice; whatever was answered is over.
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
      if (!(error instanceof ApiError) || error.status !== 0) current.current = undefined;
    },
  };
}

/** Not `randomUUID`, which browsers keep from pages that come without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `playground-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
