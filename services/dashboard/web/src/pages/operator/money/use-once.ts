import { useEffect, useState } from 'react';
import { mayBeDone } from '../../../api/api-error';
import { randomId } from '../../../ui/random-id';
import { OnceCalls } from './once-calls';

/** Returns the calls of a dialog that must be executed once. */
export function useOnce(opened: boolean): OnceCalls {
  const [once] = useState(() => new OnceCalls(randomId, mayBeDone));
  useEffect(() => {
    if (opened) once.begin();
  }, [once, opened]);
  return once;
}
