import { useEffect, useState } from 'react';
import { randomId } from '../../ui/random-id';
import { OnceCalls } from './once-calls';

/** The calls of a dialog that must happen once. */
export function useOnce(opened: boolean): OnceCalls {
  const [once] = useState(() => new OnceCalls(randomId));
  useEffect(() => {
    if (opened) once.begin();
  }, [once, opened]);
  return once;
}
