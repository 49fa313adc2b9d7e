import { useEffect, useRef } from 'react';
import { randomId } from '../../ui/random-id';

/**
 * Idempotency keys for calls of a dialog that must happen once. The same wish has the same key until its call has gone
 * well and the dialog is opened anew: a click on a dialog that is about to go, and another try after an answer that was
 * lost, are the same call, also when the dialog was closed in between.
 */
export function useOnce(opened: boolean) {
  const wishes = useRef(new Map<string, { key: string; isDone: boolean }>());
  useEffect(() => {
    if (!opened) return;
    for (const [name, { isDone }] of wishes.current) if (isDone) wishes.current.delete(name);
  }, [opened]);
  return async <T>(wish: unknown, call: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    const name = JSON.stringify(wish);
    const own = wishes.current.get(name) ?? { key: randomId(), isDone: false };
    wishes.current.set(name, own);
    const answer = await call(own.key);
    own.isDone = true;
    return answer;
  };
}
