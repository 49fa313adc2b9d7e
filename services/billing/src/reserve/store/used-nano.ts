import type { WindowKind } from '../../domain/utc-windows';

// A subquery rather than a join: each window is found by its complete key, whatever table size the plan of a prepared statement
// was made for.
const ofWindow = (figures: string, kind: WindowKind, subjectId: string, startsOn: string): string =>
  `(SELECT ${figures} FROM billing.spend_windows
     WHERE kind = '${kind}' AND subject_id = ${subjectId} AND starts_on = ${startsOn})`;

/** SQL of the settled and held amounts of a window. */
export const usedNano = (...window: [WindowKind, subjectId: string, startsOn: string]): string =>
  `coalesce(${ofWindow('held_nano + settled_nano', ...window)}, 0)`;

/** SQL of an array of both; null if there is no such window. */
export const heldAndSettledNano = (...window: [WindowKind, subjectId: string, startsOn: string]): string =>
  ofWindow('ARRAY[held_nano, settled_nano]', ...window);
