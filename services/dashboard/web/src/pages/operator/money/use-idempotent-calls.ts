import { useEffect, useState } from 'react';
import { mayHaveSucceeded } from '../../../api/api-error';
import { randomId } from '../../../ui/random-id';
import { IdempotentCalls } from './idempotent-calls';

/** Returns the calls of a dialog that must be executed once. */
export function useIdempotentCalls(opened: boolean): IdempotentCalls {
  const [calls] = useState(() => new IdempotentCalls(randomId, mayHaveSucceeded));
  useEffect(() => {
    if (opened) calls.forgetCompleted();
  }, [calls, opened]);
  return calls;
}
