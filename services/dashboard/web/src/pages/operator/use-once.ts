import { useRef } from 'react';
import { randomId } from '../../ui/random-id';

/**
 * Idempotency keys for calls that must happen once. The same wish has the same key until its call has gone well:
 * another try after an answer that was lost is the same call, also when the dialog was closed in between.
 */
export function useOnce() {
  const keys = useRef(new Map<string, string>());
  return async <T>(wish: unknown, call: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    const name = JSON.stringify(wish);
    const key = keys.current.get(name) ?? randomId();
    keys.current.set(name, key);
    const answer = await call(key);
    keys.current.delete(name);
    return answer;
  };
}
