import type { WindowKind } from '../rules/spend-window';

// A subquery and no join: each window is found by its whole key, whatever the plan of a prepared statement once took the
// table's size to be.
const ofWindow = (figures: string, kind: WindowKind, subjectId: string, startsOn: string): string =>
  `(SELECT ${figures} FROM billing.spend_windows
     WHERE kind = '${kind}' AND subject_id = ${subjectId} AND starts_on = ${startsOn})`;

/** SQL of what a window has settled and holds. */
export const usedNano = (...window: [WindowKind, subjectId: string, startsOn: string]): string =>
  `coalesce(${ofWindow('held_nano + settled_nano', ...window)}, 0)`;

/** SQL of an array of both; null where there is no such window. */
export const heldAndSettledNano = (...window: [WindowKind, subjectId: string, startsOn: string]): string =>
  ofWindow('ARRAY[held_nano, settled_nano]', ...window);
